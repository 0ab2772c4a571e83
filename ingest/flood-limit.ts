import { fnv1a } from '#src/core/fnv1a.ts';

/**
 * Window of the flood limit, ms. `MESSAGES`: maximum number of messages of a device in a window. This is a thousand messages a second, or
 * the whole queue of a long outage at once. A large message counts as several: one more for each 4 KiB, for each unusable element and for
 * every 50 readings. `energy import` sends 400 readings a message (simulators/send.ts), so the limit allows 25,000 readings a second, more
 * than the database can write.
 */
const WINDOW_MS = 600_000;
const MESSAGES = 600_000;
/**
 * Number of counters in each of the two rows of the flood limit. The probability that a device shares both its counters with a given
 * flooding device is 1 in 2^32.
 */
const COUNTERS = 2 ** 16;

const FULL = 2 ** 32 - 1;

/** A large message counts as one more message for each this many readings. */
const READINGS = 50;
const KIBIBYTES = 4;

/** Returns the number of messages that an undecoded message counts as because of its length. */
export const countBytesAsMessages = (bytes: number): number => 1 + Math.floor(bytes / (KIBIBYTES * 1_024));

/** Returns the number of messages that a decoded message additionally counts as because of its elements. */
export const countElementsAsMessages = (readings: number, rejections: number): number =>
  Math.floor(readings / READINGS) + rejections;

export interface FloodLimit {
  /** Returns the reason to reject a message, or null to accept it. `count`: number of messages that the message counts as. */
  refuse(deviceId: string, count?: number): string | null;
  /** Returns the time until the window ends, in seconds. */
  waitSeconds(): number;
}

/**
 * Creates a flood limit, which counts the messages of each device in windows of ten minutes. A device above the limit is broken or hostile
 * and would fill the disk; no queue after an outage reaches the limit. Memory does not grow with the number of devices: each device is
 * counted in two shared counters, one in each of two rows. The smaller counter is an upper bound of the device's messages (a count-min
 * sketch). `now`: ms of a monotonic clock. Times of receipt at brokers are not used, because they are not monotonic: with several shards,
 * they would alternate between windows.
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
    waitSeconds: () => Math.ceil((windowMs - (now() % windowMs)) / 1_000),
  };
}
