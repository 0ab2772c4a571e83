import { hashFnv1a } from '#src/core/fnv1a.ts';

/**
 * Time window of the flood limit in ms. `MESSAGES`: maximum number of messages of a device in a window: a thousand per second, or the whole
 * queue of a long outage at once. A large message counts as several messages: one more for each 4 KiB, for each unusable element and for
 * every 50 readings. `energy import` sends 400 readings per message (simulators/send.ts), so the limit allows 25,000 readings per second,
 * more than the database can write.
 */
const WINDOW_MS = 600_000;
const MESSAGES = 600_000;
/**
 * Number of counters in each of the two rows of the flood limit. A device shares both of its counters with a given flooding device with a
 * probability of 1 in 2^32.
 */
const COUNTERS = 2 ** 16;

const FULL = 2 ** 32 - 1;

/** A message counts as one more message per this number of readings in it. */
const READINGS = 50;
const KIBIBYTES = 4;

/** A long message counts as several messages. Returns their number. `bytes`: length of the message, which need not be decoded. */
export const countBytesAsMessages = (bytes: number): number => 1 + Math.floor(bytes / (KIBIBYTES * 1_024));

/** A decoded message with many elements counts as several messages. Returns how many are added for its elements. */
export const countElementsAsMessages = (readings: number, rejections: number): number =>
  Math.floor(readings / READINGS) + rejections;

export interface FloodLimit {
  /** Counts a message. Returns null, or the reason to reject the message. `count`: a large message counts as this number of messages. */
  refuse(deviceId: string, count?: number): string | null;
  /** Returns the time in seconds until the current window ends. */
  waitSeconds(): number;
}

/**
 * Creates a flood limit, which counts the messages of each device in windows of ten minutes. A device that exceeds the limit is broken or
 * hostile, and would fill the disk; no queue after an outage is that long. The memory does not depend on the number of devices: each device
 * is counted in one counter of each of two rows, which it shares with other devices. The smaller counter is an upper bound for the device's
 * messages (a count-min sketch). `now`: monotonic clock, ms. Times of receipt at brokers are not used, because they are not monotonic:
 * those of several shards would alternate between windows.
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
