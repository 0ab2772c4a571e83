import fc from 'fast-check';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { ReadingHistory } from './histories.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KWH = 1_000_000;

/**
 * An edit that the owner has made. It excludes the readings in `[fromMs, toMs)` of one channel and kind, or of all channels and kinds
 * (null). It may add a register reading at `fromMs`.
 */
export interface ReferenceEdit {
  channel: string | null;
  kind: string | null;
  fromMs: number;
  toMs: number;
  /** Value of the register reading that the edit adds, in mWh; null if the edit adds none. */
  value: number | null;
  /**
   * Only for an edit that was made because a clock was set back: times (Unix ms) of the readings that it excludes. Other readings in the
   * range remain.
   */
  instants?: ReadonlySet<number>;
}

/** Random parameters of an edit of a history. */
export const arbitraryEdit = fc.record({
  /** Index of the reading near which the edit begins. */
  near: fc.nat(),
  isAdded: fc.boolean(),
  ofAll: fc.boolean(),
  awayMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: -20 * MINUTE, max: 20 * MINUTE }),
    fc.integer({ min: -12 * HOUR, max: 12 * HOUR }),
  ),
  lengthMs: fc.oneof(
    fc.constant(1),
    fc.integer({ min: 1, max: 90 * MINUTE }),
    fc.integer({ min: 1, max: 24 * HOUR }),
    fc.constant(1_000 * HOUR),
  ),
  moreMilliwattHours: fc.oneof(
    fc.constant(0),
    fc.integer({ min: -200_000, max: 900_000 }),
    fc.integer({ min: -500 * KWH, max: 500 * KWH }),
  ),
});
export type RandomEditParameters = typeof arbitraryEdit extends fc.Arbitrary<infer T> ? T : never;

/** Returns the edit that these random parameters describe in a history. */
export function buildReferenceEdit(readings: ReadingHistory['readings'], drawn: RandomEditParameters): ReferenceEdit {
  const { near, isAdded, ofAll, awayMs, lengthMs, moreMilliwattHours } = drawn;
  const registers = readings.filter(({ kind }) => kind === 'register');
  const from = isAdded && registers.length > 0 ? registers : readings;
  const { channel, kind, readAtMs, value } = from[near % from.length] as ReadingHistory['readings'][number];
  const fromMs = readAtMs + awayMs;
  if (from === registers)
    return { channel, kind, fromMs, toMs: fromMs + 1, value: Math.max(0, value + moreMilliwattHours) };
  return { channel: ofAll ? null : channel, kind: ofAll ? null : kind, fromMs, toMs: fromMs + lengthMs, value: null };
}

/** Random parameters of an edit for a clock that was set back. */
export const arbitraryClockStep = fc.record({
  near: fc.nat(),
  /** Only the readings whose index is a multiple of this number arrived before the clock was set back. */
  came: fc.constantFrom(1, 2, 3),
  awayMs: fc.oneof(fc.constant(0), fc.integer({ min: -3 * HOUR, max: 3 * HOUR })),
  lengthMs: fc.integer({ min: 6_000, max: 12 * HOUR }),
});

/**
 * Returns the edit of a series for a clock that was set back and therefore shows some times twice. The edit excludes readings in this
 * repeated time that arrived before the clock was set back. For a register, the edit adds the first excluded value, from which the register
 * continues. `before`: edits for earlier times at which the clock was set back.
 */
export function buildReferenceClockStepEdit(
  readings: ReadingHistory['readings'],
  { near, came, awayMs, lengthMs }: typeof arbitraryClockStep extends fc.Arbitrary<infer T> ? T : never,
  before: readonly ReferenceEdit[],
): ReferenceEdit {
  const { channel, kind, readAtMs } = readings[near % readings.length] as ReadingHistory['readings'][number];
  const mine = before.filter((edit) => edit.channel === channel && edit.kind === kind);
  const toMs = readAtMs + awayMs + lengthMs;
  let fromMs = readAtMs + awayMs;
  while (mine.some((edit) => edit.fromMs === fromMs && (edit.value !== null || edit.instants))) fromMs--;
  const sent = readings
    .filter((one, index) => one.channel === channel && one.kind === kind && index % came === 0)
    .map(({ readAtMs: atMs, value }) => ({ atMs, value }));
  const steps = mine.flatMap((edit) => (edit.instants ? [{ atMs: edit.fromMs, value: edit.value }] : []));
  const gone = [...sent, ...(kind === 'register' ? steps : [])]
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .sort((a, b) => a.atMs - b.atMs);
  const first = gone.find(({ value }) => value !== null)?.value ?? null;
  const value = kind === 'register' ? first : null;
  return { channel, kind, fromMs, toMs, value, instants: new Set(gone.map(({ atMs }) => atMs)) };
}

const isOf = (edit: ReferenceEdit, { channel, kind }: { channel: string; kind: string }) =>
  edit.channel === null || (edit.channel === channel && edit.kind === kind);

/**
 * Returns the readings of a series that remain after the edits, including the readings that the edits add. `readings`: in order, one per
 * time.
 */
export function applyEdits(readings: DecodedReading[], edits: readonly ReferenceEdit[]): DecodedReading[] {
  const [like] = readings;
  if (!like) return [];
  const mine = edits.filter((edit) => isOf(edit, like));
  const spans = mine.filter(({ instants }) => !instants);
  const steps = mine.filter(({ instants }) => instants);
  const isIn = (edit: ReferenceEdit, atMs: number) => atMs >= edit.fromMs && atMs < edit.toMs;
  const isGone = ({ readAtMs }: DecodedReading) =>
    spans.some((edit) => isIn(edit, readAtMs)) ||
    steps.some((edit) => {
      const isStart = edit.value !== null && edit.fromMs === readAtMs;
      return isIn(edit, readAtMs) && (isStart || edit.instants?.has(readAtMs));
    });
  const byHand = spans.flatMap(({ fromMs, value }) => (value === null ? [] : [{ ...like, readAtMs: fromMs, value }]));
  const carried = steps
    .filter(({ fromMs }) => !spans.some((edit) => isIn(edit, fromMs)))
    .filter((one) => !steps.some((edit) => edit !== one && isIn(edit, one.fromMs) && edit.instants?.has(one.fromMs)))
    .flatMap(({ fromMs, value }) => (value === null ? [] : [{ ...like, readAtMs: fromMs, value }]));
  return [...readings.filter((one) => !isGone(one)), ...byHand, ...carried].sort(
    (a, b) => a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs,
  );
}

/**
 * Returns a function that computes the time (ms) to add between two readings of a register, because the clock was set back between them.
 */
export function createRepeatedTimeCalculator(
  edits: readonly ReferenceEdit[],
  series: { channel: string; kind: string },
) {
  const steps = edits.filter((edit) => edit.instants && isOf(edit, series));
  /**
   * Returns the time of the register reading that the edit adds. If the clock is later set back to an earlier time, the reading moves to
   * that time.
   */
  const placeOf = (step: ReferenceEdit): number =>
    Math.min(
      step.fromMs,
      ...steps.filter((later) => later.fromMs < step.fromMs && later.instants?.has(step.fromMs)).map(placeOf),
    );
  const placed = steps.map((step) => ({ at: BigInt(placeOf(step)), by: BigInt(step.toMs - step.fromMs) }));
  return (from: bigint, to: bigint): bigint =>
    placed.filter(({ at }) => from <= at && at <= to).reduce((sum, { by }) => sum + by, 0n);
}
