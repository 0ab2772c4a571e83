/** Most messages of one device per window: a thousand a second, or the queue of a long outage at once. */
const WINDOW_MS = 600_000;
const MESSAGES = 600_000;
/** Counters of a row; two rows, so that a device is refused for another one's flood once in 2^32. */
const COUNTERS = 2 ** 16;

/** Whether a device may go on, one message at a time. */
export interface FloodLimit {
  /** Why this message cannot be taken; null where it can. */
  refuse(deviceId: string, atMs: number): string | null;
}

/**
 * Counts the messages of each device in windows of ten minutes, in memory that does not grow with the devices: each counts
 * in one counter of either row, and the smaller of the two bounds what it sent (a count-min sketch). A device beyond the
 * limit is broken or hostile, and would fill the disk with readings; no queue after an outage reaches it.
 */
export function createFloodLimit({ messages = MESSAGES, windowMs = WINDOW_MS } = {}): FloodLimit {
  const counters = new Uint32Array(2 * COUNTERS);
  let window = 0;
  const reason = `more than ${messages} messages in ${windowMs / 60_000} minutes`;
  return {
    refuse(deviceId, atMs) {
      const now = Math.floor(atMs / windowMs);
      if (now !== window) {
        window = now;
        counters.fill(0);
      }
      const hash = hashOf(deviceId);
      const one = hash % COUNTERS;
      const other = COUNTERS + Math.floor(hash / COUNTERS);
      const sent = Math.min(counters[one] as number, counters[other] as number) + 1;
      (counters[one] as number)++;
      (counters[other] as number)++;
      return sent > messages ? reason : null;
    },
  };
}

/** FNV-1a, 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
