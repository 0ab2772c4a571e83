import type { Database } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { type BoughtPart, boughtParts } from '#src/energy/home/pieces.ts';
import { pastsOf } from '#src/energy/usage/pasts.ts';
import { sumsOfQuarters } from '#src/energy/usage/quarters.ts';

/** Whose energy costs: a user's home, or one of its devices (which the caller must have found within its reach). */
export interface Buyer {
  userId: string;
  deviceId?: string;
}

/** Quarter-hours (UTC) of a stretch, in order from `fromMs` on, mWh. */
export interface Bought {
  fromMs: number;
  imported: Float64Array;
  /** Part of it. */
  estimated: Float64Array;
  exported: Float64Array;
  /** ms for which the import is known. */
  coveredMs: Float64Array;
}

/** Something whose energy can be asked for, stretch by stretch. */
export interface Meter {
  /** Unix ms: start of the quarter-hour in which anything of it begins; null: nothing is known of it. */
  beginsAtMs: number | null;
  /** `[from, to)`, starts of quarter-hours. */
  boughtIn(range: { from: Date; to: Date }): Promise<Bought>;
}

/**
 * What is bought and fed in: by a home at its connection point, and while there is no meter what its consumption devices import; by a device
 * what it imports (docs/cost.md, whose energy).
 */
export async function meterOf(db: Database, { userId, deviceId }: Buyer): Promise<Meter> {
  if (deviceId !== undefined) return deviceMeter(db, deviceId, { exported: 0 });
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true });
  const begins = home.devices.flatMap(({ beginsAtMs }) => (beginsAtMs === null ? [] : [beginsAtMs]));
  return {
    beginsAtMs: begins.length > 0 ? Math.min(...begins) : null,
    boughtIn: (range) => read(db, boughtParts(home, range), range),
  };
}

/** What a device imports and, where `exported` is 1, exports: whatever its placement. */
export async function deviceMeter(db: Database, deviceId: string, { exported }: { exported: 0 | 1 }): Promise<Meter> {
  const past = (await pastsOf(db, [{ id: deviceId, produces: false }])).get(deviceId);
  const part = { key: 'device_id', id: deviceId, fromMs: -Infinity, toMs: Infinity, imported: 1, exported } as const;
  return { beginsAtMs: past?.beginsAtMs ?? null, boughtIn: (range) => read(db, [part], range) };
}

const SUMS = ['imported', 'estimated', 'exported', 'coveredMs'] as const;

async function read(db: Database, parts: readonly BoughtPart[], range: { from: Date; to: Date }): Promise<Bought> {
  const weighed = parts.map(({ key, id, fromMs, toMs, imported, exported }) => ({
    ...{ key, id, fromMs, toMs },
    weights: {
      imported: { imported },
      estimated: { estimated: imported },
      exported: { exported },
      coveredMs: { importMs: imported },
    },
  }));
  return { fromMs: range.from.getTime(), ...(await sumsOfQuarters(db, weighed, range, SUMS)) };
}
