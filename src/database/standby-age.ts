/** How far the primary had written its log at a time. */
export interface Sample {
  atMs: number;
  /** Bytes of its log. */
  position: number;
}

/** So many samples are kept: a standby that is further behind is as good as away. */
const KEPT = 900;

/**
 * How old the data of a standby that has replayed so far may be, ms: the time since the primary stood there. A primary that writes
 * nothing lets no data grow old: its position is reached. Null where all samples are beyond what was replayed: older than is known. Pure.
 */
export function ageOf(samples: readonly Sample[], replayed: number, nowMs: number): number | null {
  const reached = samples.findLast(({ position }) => position <= replayed);
  return reached ? Math.max(0, nowMs - reached.atMs) : null;
}

/** The samples with one more; the oldest goes where there are too many, however long the standby does not answer. Pure. */
export const withLatest = (samples: readonly Sample[], latest: Sample): readonly Sample[] =>
  [...samples, latest].slice(-KEPT);

/** Those samples that a later question may be answered by: the last one that was replayed, and what comes after it. Pure. */
export function stillNeeded(samples: readonly Sample[], replayed: number): readonly Sample[] {
  const reached = samples.findLastIndex(({ position }) => position <= replayed);
  return samples.slice(Math.max(0, reached));
}

/** Numbers of transactions in a row go round after 2^32. */
const ROUND = 2 ** 32;

/**
 * Whether a standby has replayed a transaction: `number`, in 32 bits as rows have it, of one of the last two thousand millions;
 * `horizon`: all with lower numbers are over there. Pure.
 */
export function isReplayed(number: number, horizon: number): boolean {
  const ahead = (((horizon - number) % ROUND) + ROUND) % ROUND;
  return ahead > 0 && ahead < ROUND / 2;
}
