import { addInterval, type BucketDeltas, type ReadonlyBuckets, withoutZeros } from '#ingest/normalise/buckets.ts';
import type { EnergyInterval } from '#ingest/normalise/law.ts';
import type { Roles } from '#ingest/normalise/roles-by-time.ts';
import { asMilliwattHours } from '#src/core/units.ts';
import { type EstimatedExport, estimatedExportOf, isPlaced, type Meter } from '#src/database/meter.ts';
import { MEASURE_NAMES, type Sums } from '#src/rollups/levels.ts';
import { int8Array, type Step, statement, textArray, timestampArray } from './statement.ts';

/** Differences to the load profile of a device: of its electricity, and of what is told apart (most have nothing of the kind: null). */
export interface DeviceDeltas {
  readonly own: BucketDeltas;
  meters: Map<Meter | EstimatedExport, BucketDeltas> | null;
}

export const noDeltas = (): DeviceDeltas => ({ own: new Map(), meters: null });

/**
 * Adds an interval (`sign` 1) or takes it away (-1), where its series counts: electricity with a place of its own is in that place, and
 * in its device's; gas, heat and water are by themselves.
 */
export function count(deltas: DeviceDeltas, interval: EnergyInterval, roles: Roles, sign: 1 | -1): void {
  const { meter } = roles;
  if (meter !== null) addInterval(deltasOf(deltas, meter), interval, roles, sign);
  if (meter !== null && !isPlaced(meter)) return;
  addInterval(deltas.own, interval, roles, sign);
  if (!interval.estimated || !roles.export || interval.exportMilliwattHours === 0) return;
  const outwards = exportAsImport(interval);
  for (const place of meter === null ? [null] : [null, meter]) {
    addInterval(deltasOf(deltas, estimatedExportOf(place)), outwards, IMPORT, sign);
  }
}

const IMPORT = { import: true, export: false };

/** What flowed out, in the place of what flowed in. */
const exportAsImport = ({ startMs, endMs, exportMilliwattHours, exportSpan }: EnergyInterval): EnergyInterval => ({
  startMs,
  endMs,
  importMilliwattHours: exportMilliwattHours,
  exportMilliwattHours: asMilliwattHours(0),
  estimated: true,
  ...(exportSpan && { importSpan: exportSpan }),
});

function deltasOf(deltas: DeviceDeltas, meter: Meter | EstimatedExport): BucketDeltas {
  deltas.meters ??= new Map();
  let ofMeter = deltas.meters.get(meter);
  if (!ofMeter) {
    ofMeter = new Map();
    deltas.meters.set(meter, ofMeter);
  }
  return ofMeter;
}

/** Drops what did not change after all. */
export function dropZeros(deltas: DeviceDeltas): DeviceDeltas {
  withoutZeros(deltas.own);
  for (const ofMeter of deltas.meters?.values() ?? []) withoutZeros(ofMeter);
  return deltas;
}

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
