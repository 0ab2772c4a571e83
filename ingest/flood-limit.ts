import { hashFnv1a } from '#src/core/fnv1a.ts';

/** Time window of the flood limit in ms. */
const WINDOW_MS = 600_000;
/** Maximum number of a device's messages in one window. It is enough to send the whole queue of a long outage at once. */
const MESSAGES = 600_000;
/**
 * Number of counters per row. With two rows, a device shares both of its counters with a given other device with a probability of 1 in
 * 2^32.
 */
const COUNTERS = 2 ** 16;

const FULL = 2 ** 32 - 1;

const READINGS = 50;
const KIBIBYTES = 4;

/** Returns the number of messages that a message of this length counts as: one, plus one for each 4 KiB. */
export const countBytesAsMessages = (bytes: number): number => 1 + Math.floor(bytes / (KIBIBYTES * 1_024));

/**
 * Returns the number of messages that the elements of one message add to the count: one for each rejected element, and one for every 50
 * readings.
 */
export const countElementsAsMessages = (readings: number, rejections: number): number =>
  Math.floor(readings / READINGS) + rejections;

export interface FloodLimit {
  /** Counts a message as `count` messages. Returns null, or the reason to reject the message. */
  refuse(deviceId: string, count?: number): string | null;
  waitSeconds(): number;
}

/**
 * Creates a limit for the number of messages that a device may send in ten minutes. The memory does not depend on the number of devices:
 * several devices share a counter (a count-min sketch), so a count may be too high, but never too low. `now`: monotonic clock, ms.
 */
export function createFloodLimit({
  messages = MESSAGES,
  windowMs = WINDOW_MS,
  now = () => performance.now(),
} = {}): FloodLimit {
  const counters = new Uint32Array(2 * COUNTERS);
  let window = 0;
  const reason = `more than ${messages} messages in ${windowMs / 60_000} minutes (${READINGS} readings, an element that cannot be used, or ${KIBIBYTES} KiB count as one)`;
  return {
    refuse(deviceId, count = 1) {
      const current = Math.floor(now() / windowMs);
      if (current !== window) {
        window = current;
        counters.fill(0);
      }
      const hash = hashFnv1a(deviceId);
      const one = hash % COUNTERS;
      const other = COUNTERS + Math.floor(hash / COUNTERS);
      const sent = Math.min(counters[one] as number, counters[other] as number) + count;
      for (const index of [one, other]) counters[index] = Math.min(FULL, (counters[index] as number) + count);
      return sent > messages ? reason : null;
    },
    waitSeconds: () => Math.ceil((windowMs - (now() % windowMs)) / 1_000),
  };
}
