import { QUARTER_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { pastsOf } from '#src/energy/home/pasts.ts';
import { type BoughtPart, boughtParts } from '#src/energy/home/pieces.ts';
import { type Quarters, quartersOf } from '#src/rollups/quarters.ts';

/** Whose energy costs: a user's home, or one of its devices (which the caller must have found within its reach). */
export interface Buyer {
  userId: string;
  deviceId?: string;
  /** Of a home (`AskedOfHome`): for what is told or recorded once. */
  isAfresh?: boolean;
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

const MEASURES = ['energyMilliwattHours', 'estimatedMilliwattHours', 'exportMilliwattHours', 'coveredMs'] as const;

/**
 * What is bought and fed in: by a home at its connection point, and while there is no meter what its consumption devices import; by a device
 * what it imports (docs/cost.md, whose energy).
 */
export async function meterOf(db: Database, { userId, deviceId, isAfresh = false }: Buyer): Promise<Meter> {
  if (deviceId !== undefined) return deviceMeter(db, deviceId, { exported: 0 });
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true, isAfresh });
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

async function read(db: Database, parts: readonly BoughtPart[], range: { from: Date; to: Date }): Promise<Bought> {
  const fromMs = range.from.getTime();
  const count = (range.to.getTime() - fromMs) / QUARTER_MS;
  const list = () => new Float64Array(count);
  const bought: Bought = { fromMs, imported: list(), estimated: list(), exported: list(), coveredMs: list() };
  const idsOf = (key: BoughtPart['key']) => [...new Set(parts.filter((part) => part.key === key).map(({ id }) => id))];
  const profiles = new Map<string, Quarters<(typeof MEASURES)[number]>>();
  for (const key of ['user_id', 'device_id'] as const) {
    const ids = idsOf(key);
    if (ids.length === 0) continue;
    for (const [id, quarters] of await quartersOf(db, { key, ids }, range, MEASURES)) profiles.set(id, quarters);
  }
  for (const part of parts) {
    const profile = profiles.get(part.id);
    if (!profile) continue;
    const first = Math.max(0, (part.fromMs - fromMs) / QUARTER_MS);
    const end = Math.min(count, (part.toMs - fromMs) / QUARTER_MS);
    const add = (to: Float64Array, from: Float64Array, times: number) => {
      if (times !== 0) for (let at = first; at < end; at++) to[at] = (to[at] as number) + times * (from[at] as number);
    };
    add(bought.imported, profile.energyMilliwattHours, part.imported);
    add(bought.estimated, profile.estimatedMilliwattHours, part.imported);
    add(bought.exported, profile.exportMilliwattHours, part.exported);
    add(bought.coveredMs, profile.coveredMs, part.imported);
  }
  return bought;
}
