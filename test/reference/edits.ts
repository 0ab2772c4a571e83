import fc from 'fast-check';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { History } from './histories.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KWH = 1_000_000;

/** An edit by hand: readings of `[fromMs, toMs)` are passed over, of one channel and kind or (null) of all; and a register may have been read at `fromMs`. */
export interface ReferenceEdit {
  channel: string | null;
  kind: string | null;
  fromMs: number;
  toMs: number;
  /** mWh; null: nothing was read by hand. */
  value: number | null;
}

/** What an edit of a history is made of. */
export const drawnEdit = fc.record({
  /** The reading that it is about, more or less. */
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
export type DrawnEdit = typeof drawnEdit extends fc.Arbitrary<infer T> ? T : never;

/** The edit of a history that was drawn. */
export function editOf(readings: History['readings'], drawn: DrawnEdit): ReferenceEdit {
  const { near, isAdded, ofAll, awayMs, lengthMs, moreMilliwattHours } = drawn;
  const registers = readings.filter(({ kind }) => kind === 'register');
  const from = isAdded && registers.length > 0 ? registers : readings;
  const { channel, kind, readAtMs, value } = from[near % from.length] as History['readings'][number];
  const fromMs = readAtMs + awayMs;
  if (from === registers)
    return { channel, kind, fromMs, toMs: fromMs + 1, value: Math.max(0, value + moreMilliwattHours) };
  return { channel: ofAll ? null : channel, kind: ofAll ? null : kind, fromMs, toMs: fromMs + lengthMs, value: null };
}

/** What of a series counts once edits are made: of readings in order, one a time. */
export function edited(readings: DecodedReading[], edits: readonly ReferenceEdit[]): DecodedReading[] {
  const [like] = readings;
  if (!like) return [];
  const mine = edits.filter(
    (edit) => edit.channel === null || (edit.channel === like.channel && edit.kind === like.kind),
  );
  const isGone = ({ readAtMs }: DecodedReading) =>
    mine.some(({ fromMs, toMs }) => readAtMs >= fromMs && readAtMs < toMs);
  const byHand = mine.flatMap(({ fromMs, value }) => (value === null ? [] : [{ ...like, readAtMs: fromMs, value }]));
  return [...readings.filter((one) => !isGone(one)), ...byHand].sort(
    (a, b) => a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs,
  );
}
