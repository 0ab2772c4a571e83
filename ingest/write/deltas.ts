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

/** Adds the differences to the load profile and to every aggregate above it (sql/rollups). */
export function applyDeltas(rows: readonly DeltaRow[]): Step[] {
  if (rows.length === 0) return [];
  const values = [
    textArray(rows.map((row) => row.deviceId)),
    textArray(rows.map((row) => row.userId)),
    timestampArray(rows.map((row) => row.startsAtMs)),
    ...MEASURE_NAMES.map((name) => int8Array(rows.map((row) => row[name]))),
  ];
  const text = `SELECT apply_interval_deltas(array_agg(ROW (d.*)::interval_delta))
                FROM unnest($1::text[], $2::text[], $3::timestamptz[], ${MEASURES}) d`;
  return [statement({ name: 'apply-deltas', text, values })];
}
