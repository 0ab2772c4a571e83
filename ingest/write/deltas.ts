import type { ReadonlyBuckets } from '#ingest/normalise/buckets.ts';
import { MEASURE_NAMES, type Sums } from '#src/rollups/levels.ts';
import { int8Array, textArray, timestampArray } from './binary-array.ts';
import { type Step, statement } from './step.ts';

/** One row's difference, with its keys. */
export interface DeltaRow extends Sums {
  deviceId: string;
  userId: string;
  startsAtMs: number;
}

/** Parameters after those of the keys, in the order of the attributes of interval_delta. */
const MEASURES = MEASURE_NAMES.map((_, index) => `$${index + 4}::bigint[]`).join(', ');

/** The differences of a device's closed hours, one a row. */
export function deltaRows(deviceId: string, userId: string, closed: ReadonlyBuckets): DeltaRow[] {
  return Array.from(closed, ([startsAtMs, delta]) => ({ deviceId, userId, startsAtMs, ...delta }));
}

/**
 * Most rows of one statement. A batch has a few thousand; where the past of many devices is computed anew it has 40,000 a device, and an
 * array of all of them could be beyond the 1 GiB that PostgreSQL holds in one.
 */
const MAX_ROWS = 50_000;

/**
 * Adds the differences to the load profile and to every aggregate above it (sql/rollups). Where that takes several statements they go by
 * user and time, as each does within itself: writers that share rows come to them in one order.
 */
export function applyDeltas(rows: readonly DeltaRow[], maxRows = MAX_ROWS): Step[] {
  if (rows.length <= maxRows) return rows.length === 0 ? [] : [applyPiece(rows)];
  const sorted = rows.toSorted((a, b) => compare(a.userId, b.userId) || a.startsAtMs - b.startsAtMs);
  const pieces = Array.from({ length: Math.ceil(sorted.length / maxRows) }, (_, index) =>
    sorted.slice(index * maxRows, (index + 1) * maxRows),
  );
  return pieces.map(applyPiece);
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function applyPiece(rows: readonly DeltaRow[]): Step {
  const values = [
    textArray(rows.map((row) => row.deviceId)),
    textArray(rows.map((row) => row.userId)),
    timestampArray(rows.map((row) => row.startsAtMs)),
    ...MEASURE_NAMES.map((name) => int8Array(rows.map((row) => row[name]))),
  ];
  const text = `SELECT apply_interval_deltas(array_agg(ROW (d.*)::interval_delta))
                FROM unnest($1::text[], $2::text[], $3::timestamptz[], ${MEASURES}) d`;
  return statement({ name: 'apply-deltas', text, values });
}
