import { MINUTE_MS } from '#src/core/units.ts';
import type { ReadingFinding, VERDICT_BY_FINDING } from '../quality.ts';
import type { SeriesWithReadings } from './series.ts';

/** Names of stored verdicts in the API. */
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

interface StoredReadingVerdict {
  atMs: number;
  note: string | null;
  /** Whether the reading confirms an earlier reading that is still held back. */
  isAwaiting: boolean;
  /** Time of the previous reading that no edit excludes. Null if there is none. */
  previousMs: number | null;
  /** Whether a higher value was also received for the same time. */
  isLowerKept: boolean;
}

/** Returns the verdict on a reading in the words of the API. `maxGapMinutes`: maximum silence between power readings. */
export function decideReadingVerdict(
  series: Pick<SeriesWithReadings, 'kind' | 'isKnown' | 'counted' | 'splitsMs'>,
  { atMs, note, isAwaiting, previousMs, isLowerKept }: StoredReadingVerdict,
  maxGapMinutes: number,
): ReadingVerdict {
  const { kind, isKnown, counted, splitsMs } = series;
  const isEnergy = kind === 'register' || kind === 'interval' || kind === 'power';
  // Climate readings are always used.
  if (!isEnergy) return 'counted';
  const counts = counted.some(({ fromMs, untilMs }) => fromMs < atMs && atMs <= untilMs);
  // The series begins to contribute with this reading. Another series measured the energy before it.
  const begins = kind !== 'interval' && counted.some(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
  if (!counts && !begins) return isKnown ? 'not_counted' : 'unknown';
  if (note === 'excluded') return 'excluded';
  if (isAwaiting) return 'held';
  // A reading that confirmed an earlier one was used like any other.
  if (note !== null && note !== 'confirming') return NAME_BY_NOTE[note as keyof typeof NAME_BY_NOTE];
  const isFirst = previousMs === null && kind !== 'interval';
  const hasGap =
    kind === 'power' &&
    previousMs !== null &&
    (atMs - previousMs > maxGapMinutes * MINUTE_MS || splitsMs.some((ms) => previousMs <= ms && ms < atMs));
  if (!counts || isFirst || hasGap) return 'baseline';
  return isLowerKept ? 'lower_kept' : 'counted';
}
