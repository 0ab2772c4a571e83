import { addInterval, type BucketDeltas, withoutZeros } from '#ingest/normalise/buckets.ts';
import type { EnergyInterval } from '#ingest/normalise/law.ts';
import type { Roles } from '#ingest/normalise/roles-by-time.ts';
import { asMilliwattHours } from '#src/core/units.ts';
import { type EstimatedExport, estimatedExportOf, isPlaced, type Meter } from '#src/database/meter.ts';

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
