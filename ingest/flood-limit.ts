import { fnv1a } from '#src/core/fnv1a.ts';

/**
 * Most messages of one device per window: a thousand a second, or the queue of a long outage at once. What a message is long by counts
 * like further ones: each 4 KiB, each element that cannot be used, every 50 readings. `energy import` sends 400 readings a message
 * (simulators/send.ts): 25,000 a second, more than are written, stay below it.
 */
const WINDOW_MS = 600_000;
const MESSAGES = 600_000;
/** Counters of a row; two rows, so that a device is refused for another one's flood once in 2^32. */
const COUNTERS = 2 ** 16;

/** Most that a counter holds. */
const FULL = 2 ** 32 - 1;

/** Readings and bytes that count like a message. */
const READINGS = 50;
const KIBIBYTES = 4;

/** For how many messages the length of one counts, before it is read. */
export const countOfBytes = (bytes: number): number => 1 + Math.floor(bytes / (KIBIBYTES * 1_024));

/** And for how many more what was read out of it. */
export const countOfElements = (readings: number, rejections: number): number =>
  Math.floor(readings / READINGS) + rejections;

/** Whether a device may go on, one message at a time. */
export interface FloodLimit {
  /** Why this message cannot be taken; null where it can. `count`: for how many it counts. */
  refuse(deviceId: string, count?: number): string | null;
}

/**
 * Counts the messages of each device in windows of ten minutes, in memory that does not grow with the devices: each counts
 * in one counter of either row, and the smaller of the two bounds what it sent (a count-min sketch). A device beyond the
 * limit is broken or hostile, and would fill the disk with readings; no queue after an outage reaches it. `now`: ms, of a clock that never goes
 * back. When a broker took messages does: those of several shards come with the times of several windows, in turns.
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
      const hash = fnv1a(deviceId);
      const one = hash % COUNTERS;
      const other = COUNTERS + Math.floor(hash / COUNTERS);
      const sent = Math.min(counters[one] as number, counters[other] as number) + count;
      for (const index of [one, other]) counters[index] = Math.min(FULL, (counters[index] as number) + count);
      return sent > messages ? reason : null;
    },
  };
}
