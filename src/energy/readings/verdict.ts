import { MINUTE_MS } from '#src/core/units.ts';
import type { ReadingFinding, VERDICT_BY_FINDING } from '../quality.ts';
import type { SeriesWithReadings } from './series.ts';

/** Names, in the API, of the stored verdicts (`reading_notes.verdict`) on readings that were excluded or treated specially. */
const NAME_BY_NOTE = {
  glitch: 'glitch',
  overlap: 'overlap',
  late: 'late_news',
  passed: 'passed_over',
  back: 'taken_back',
  jitter: 'jitter',
  reset: 'reset',
  rollover: 'rollover',
  swap: 'swap',
  held: 'held',
} as const satisfies Record<(typeof VERDICT_BY_FINDING)[ReadingFinding], string>;

export const READING_VERDICTS = [
  'counted',
  'baseline',
  'excluded',
  'not_counted',
  'unknown',
  'lower_kept',
  ...Object.values(NAME_BY_NOTE),
] as const;
export type ReadingVerdict = (typeof READING_VERDICTS)[number];

/** Stored verdict on a reading. Times are Unix ms. */
export interface StoredReadingVerdict {
  atMs: number;
  /**
   * Stored verdict of the counting rule. Null: the reading had no special treatment. Its energy was used if its series contributes to the
   * device's energy.
   */
  note: string | null;
  /** Whether the reading confirms an earlier reading on hold that has no final verdict yet. */
  isAwaiting: boolean;
  /** Time of the series' previous reading that no edit excludes. Null if there is no such reading. */
  previousMs: number | null;
  /** Whether a higher value was also received for the time of this reading. */
  isLowerKept: boolean;
}

/** Returns the verdict on a reading, in the words of the API. `maxGapMinutes`: setting of the reading's device. Pure. */
export function decideReadingVerdict(
  series: Pick<SeriesWithReadings, 'kind' | 'isKnown' | 'counted' | 'splitsMs'>,
  { atMs, note, isAwaiting, previousMs, isLowerKept }: StoredReadingVerdict,
  maxGapMinutes: number,
): ReadingVerdict {
  const { kind, isKnown, counted, splitsMs } = series;
  const isEnergy = kind === 'register' || kind === 'interval' || kind === 'power';
  // Climate readings have no counting rule, so each value is used.
  if (!isEnergy) return 'counted';
  const counts = counted.some(({ fromMs, untilMs }) => fromMs < atMs && atMs <= untilMs);
  // From this reading on, the series contributes to the device's energy. The energy before it was measured by another series.
  const begins = kind !== 'interval' && counted.some(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
  if (!counts && !begins) return isKnown ? 'not_counted' : 'unknown';
  if (note === 'excluded') return 'excluded';
  if (isAwaiting) return 'held';
  // The verdict `confirming` (the reading confirmed an earlier one) is not special: the reading was used like any other.
  if (note !== null && note !== 'confirming') return NAME_BY_NOTE[note as keyof typeof NAME_BY_NOTE];
  const isFirst = previousMs === null && kind !== 'interval';
  const hasGap =
    kind === 'power' &&
    previousMs !== null &&
    (atMs - previousMs > maxGapMinutes * MINUTE_MS || splitsMs.some((ms) => previousMs <= ms && ms < atMs));
  if (!counts || isFirst || hasGap) return 'baseline';
  return isLowerKept ? 'lower_kept' : 'counted';
}
