import {
  addIntervalToBuckets,
  type BucketDeltas,
  dropZeroBuckets,
  type ReadonlyQuarterHourBuckets,
} from '#ingest/normalise/buckets.ts';
import type { EnergyInterval } from '#ingest/normalise/counting-rule.ts';
import type { SeriesRoles } from '#ingest/normalise/roles-by-time.ts';
import { castToMilliwattHours } from '#src/core/units.ts';
import {
  type AggregatedQuantity,
  type EstimatedExportQuantity,
  getEstimatedExportQuantity,
  isElectricityQuantity,
} from '#src/database/meter.ts';
import { MEASURE_NAMES, type MeasureSums } from '#src/rollups/levels.ts';
import {
  type BatchStatement,
  createBatchStatement,
  encodeBigints,
  encodeTexts,
  encodeTimestamps,
} from './statement.ts';

/**
 * Changes of a device's consumption by quarter-hour. `own`: its electricity. `meters`: separately reported quantities, such as gas; null
 * for most devices.
 */
export interface DeviceDeltas {
  readonly own: BucketDeltas;
  meters: Map<AggregatedQuantity | EstimatedExportQuantity, BucketDeltas> | null;
}

export const createEmptyDeltas = (): DeviceDeltas => ({ own: new Map(), meters: null });

/** Adds the energy of an interval to the totals to which its series contributes (`sign` 1), or subtracts it (-1). */
export function addIntervalToDeltas(
  deltas: DeviceDeltas,
  interval: EnergyInterval,
  roles: SeriesRoles,
  sign: 1 | -1,
): void {
  const { meter } = roles;
  if (meter !== null) addIntervalToBuckets(deltasOf(deltas, meter), interval, roles, sign);
  if (meter !== null && !isElectricityQuantity(meter)) return;
  addIntervalToBuckets(deltas.own, interval, roles, sign);
  if (!interval.estimated || !roles.export || interval.exportMilliwattHours === 0) return;
  const outwards = exportAsImport(interval);
  for (const place of meter === null ? [null] : [null, meter]) {
    addIntervalToBuckets(deltasOf(deltas, getEstimatedExportQuantity(place)), outwards, IMPORT, sign);
  }
}

const IMPORT = { import: true, export: false };

/**
 * Converts the export of an interval into import. Estimated export is stored as a separate quantity, whose energy is in the column for
 * import.
 */
const exportAsImport = ({ startMs, endMs, exportMilliwattHours, exportSpan }: EnergyInterval): EnergyInterval => ({
  startMs,
  endMs,
  importMilliwattHours: exportMilliwattHours,
  exportMilliwattHours: castToMilliwattHours(0),
  estimated: true,
  ...(exportSpan && { importSpan: exportSpan }),
});

function deltasOf(deltas: DeviceDeltas, meter: AggregatedQuantity | EstimatedExportQuantity): BucketDeltas {
  deltas.meters ??= new Map();
  let ofMeter = deltas.meters.get(meter);
  if (!ofMeter) {
    ofMeter = new Map();
    deltas.meters.set(meter, ofMeter);
  }
  return ofMeter;
}

export function dropZeroDeltas(deltas: DeviceDeltas): DeviceDeltas {
  dropZeroBuckets(deltas.own);
  for (const ofMeter of deltas.meters?.values() ?? []) dropZeroBuckets(ofMeter);
  return deltas;
}

export interface DeltaRow extends MeasureSums {
  deviceId: string;
  userId: string;
  startsAtMs: number;
}

/** SQL parameters for the measures, in the order of the fields of the SQL type `interval_delta`. */
const MEASURES = MEASURE_NAMES.map((_, index) => `$${index + 4}::bigint[]`).join(', ');

export function createDeltaRows(deviceId: string, userId: string, closed: ReadonlyQuarterHourBuckets): DeltaRow[] {
  return Array.from(closed, ([startsAtMs, delta]) => ({ deviceId, userId, startsAtMs, ...delta }));
}

/** Maximum number of rows per statement, so that no array exceeds PostgreSQL's limit of 1 GiB. */
const MAX_ROWS = 50_000;

/**
 * Adds changes to the quarter-hourly consumption and to the sums that are based on it. All rows are sorted, so that concurrent writers lock
 * them in the same order.
 */
export function createDeltaStatements(rows: readonly DeltaRow[], maxRows = MAX_ROWS): BatchStatement[] {
  if (rows.length <= maxRows) return rows.length === 0 ? [] : [applyPiece(rows)];
  const sorted = rows.toSorted((a, b) => compare(a.userId, b.userId) || a.startsAtMs - b.startsAtMs);
  const pieces = Array.from({ length: Math.ceil(sorted.length / maxRows) }, (_, index) =>
    sorted.slice(index * maxRows, (index + 1) * maxRows),
  );
  return pieces.map(applyPiece);
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function applyPiece(rows: readonly DeltaRow[]): BatchStatement {
  const values = [
    encodeTexts(rows.map((row) => row.deviceId)),
    encodeTexts(rows.map((row) => row.userId)),
    encodeTimestamps(rows.map((row) => row.startsAtMs)),
    ...MEASURE_NAMES.map((name) => encodeBigints(rows.map((row) => row[name]))),
  ];
  const text = `SELECT apply_interval_deltas(array_agg(ROW (d.*)::interval_delta))
                FROM unnest($1::text[], $2::text[], $3::timestamptz[], ${MEASURES}) d`;
  return createBatchStatement({ name: 'apply-deltas', text, values });
}
