/** Waits before the retries (specification, Events: up to 5 with exponential backoff). */
const RETRY_AFTER_MS: readonly number[] = [5_000, 30_000, 2 * 60_000, 15 * 60_000, 60 * 60_000];
/** Jitter of the waits, so that deliveries that failed together are not retried together. */
const SPREAD = 0.2;

/**
 * When a delivery is tried again, after so many failed tries (1 or more); null where its retries have run out.
 * `random`: 0 to 1. Pure.
 */
export function nextAttemptAt(failedTries: number, now: Date, random: number): Date | null {
  const wait = RETRY_AFTER_MS[failedTries - 1];
  if (wait === undefined) return null;
  return new Date(now.getTime() + Math.round(wait * (1 - SPREAD + 2 * SPREAD * random)));
}
