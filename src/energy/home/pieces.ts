import { HOUR_MS } from '#src/core/units.ts';
import { estimatedExportKey } from '#src/database/meter.ts';
import type { Home } from './home.ts';
import type { HomeDevice, HomeRole } from './roles.ts';
import type { HomeSum } from './sums.ts';

/** Before anything that can be stored. */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
/** Where roles change more often amid hours, all of the range is read by the quarter-hour. */
export const MOST_CUTS = 20;

/** What a device, or all of them, is to its home for a while: a row that its pieces are joined with. */
export interface Part {
  /** A device, or the user: all of its devices. */
  who: string;
  from: Date;
  to: Date;
  role: HomeRole | 'all';
  isGridThere: boolean;
  hasSources: boolean;
  producesExport: boolean;
  /**
   * How often its import is part of consumption: once, or minus once where it is in that of all devices and is none. So plugs need not be
   * read one by one: what they used is what all devices imported without those that are something else.
   */
  consumes: -1 | 0 | 1;
  /** Of channels with a place of their own: what their device is, which their energy is in, too, and has to be taken from. */
  without: { role: HomeRole; producesExport: boolean; consumes: -1 | 0 } | null;
  /** Its rows are the estimated part of what flowed out of it. */
  isEstimatedExport: boolean;
}

/** How often a part's measures are in a sum. */
export interface Weights {
  imported?: number;
  exported?: number;
  estimated?: number;
  importMs?: number;
  exportMs?: number;
}

/** The measures that a sum is made of, of any part: the others need not be multiplied. */
export const MADE_OF: Record<HomeSum, readonly (keyof Weights)[]> = {
  balance: ['imported', 'exported'],
  floor: ['imported'],
  alone: ['imported'],
  estimated: ['estimated', 'imported'],
  gridMs: ['importMs', 'exportMs'],
  aloneMs: ['importMs'],
  gridImport: ['imported'],
  gridExport: ['exported'],
  gridExportAlone: ['exported'],
  production: ['imported', 'exported'],
  productionBeside: ['imported', 'exported'],
  charged: ['imported'],
  discharged: ['exported'],
  consumption: ['imported'],
  productionMs: ['importMs', 'exportMs'],
  storageMs: ['importMs', 'exportMs'],
  consumptionMs: ['importMs'],
  countedMs: ['importMs', 'exportMs'],
};

/** What a part adds to each sum. Pure: the law of a home (docs/home.md), role by role. */
function weightsOf({ role, isGridThere, hasSources, producesExport, consumes }: Part): Record<HomeSum, Weights> {
  const is = (wanted: HomeRole) => Number(role === wanted);
  const [grid, production, storage] = [is('grid'), is('production'), is('storage')];
  const [beside, alone, sources] = [Number(isGridThere), Number(!isGridThere), Number(hasSources)];
  const [out, into] = [production * Number(producesExport), production * Number(!producesExport)];
  const both = (times: number): Weights => ({ importMs: times, exportMs: times });
  return {
    balance: {
      imported: grid + beside * (into - storage),
      exported: -grid * sources + beside * (out + storage),
    },
    floor: { imported: grid - beside * storage },
    alone: { imported: alone * consumes },
    estimated: { estimated: grid + beside * (into + storage) + alone * consumes },
    gridMs: both(grid),
    aloneMs: { importMs: alone * consumes },
    gridImport: { imported: grid },
    gridExport: { exported: grid },
    gridExportAlone: { exported: grid * (1 - sources) },
    production: { imported: into, exported: out },
    productionBeside: { imported: beside * into, exported: beside * out },
    charged: { imported: storage },
    discharged: { exported: storage },
    consumption: { imported: consumes },
    productionMs: both(production),
    storageMs: both(storage),
    consumptionMs: { importMs: consumes },
    countedMs: {
      importMs: grid + beside * (into + storage) + alone * consumes,
      exportMs: grid * sources + beside * (out + storage),
    },
  };
}

/** The same of what its rows tell. */
export function weightsWithin(part: Part): Record<HomeSum, Weights> {
  const weights = weightsAlone(part);
  if (!part.isEstimatedExport) return weights;
  // As far as the export counts towards what is used.
  const nothing = Object.fromEntries(Object.keys(MADE_OF).map((name) => [name, {}])) as Record<HomeSum, Weights>;
  return { ...nothing, estimated: { imported: weights.countedMs.exportMs ?? 0 } };
}

/** The same without what the part's device counts of it already. */
function weightsAlone(part: Part): Record<HomeSum, Weights> {
  const weights = weightsOf(part);
  if (!part.without) return weights;
  const counted = weightsOf({ ...part, ...part.without });
  for (const [name, measures] of Object.entries(MADE_OF) as [HomeSum, readonly (keyof Weights)[]][]) {
    for (const measure of measures)
      weights[name][measure] = (weights[name][measure] ?? 0) - (counted[name][measure] ?? 0);
  }
  return weights;
}

/** Whether anything flows out of a device, or of the channels of it that have places of their own. */
export const hasExport = ({ devices }: Home, { deviceId }: HomeDevice): boolean =>
  devices.some(
    (one) => (one.deviceId === deviceId || one.partOf === deviceId) && one.counted.some(({ exports }) => exports > 0),
  );

/** Which rows of whom are read in a range, and as what. */
export function partsOf(home: Home, { from, to }: { from: Date; to: Date }): Part[] {
  const parts: Part[] = [];
  for (const { fromMs, toMs, isGridThere, hasSources, roles } of home.stretches) {
    const [start, end] = [Math.max(fromMs, from.getTime()), Math.min(toMs, to.getTime())];
    if (start >= end) continue;
    const common = { from: new Date(start), to: new Date(end), isGridThere, hasSources, isEstimatedExport: false };
    parts.push({ ...common, who: home.userId, role: 'all', consumes: 1, producesExport: true, without: null });
    const roleOf = ({ deviceId, producesExport }: HomeDevice) => {
      const role = roles.get(deviceId) ?? 'excluded';
      return { role, producesExport, consumes: role === 'consumption' ? (0 as const) : (-1 as const) };
    };
    for (const device of home.special) {
      const whole = home.devices.find(({ deviceId }) => deviceId === device.partOf);
      parts.push({ ...common, who: device.deviceId, ...roleOf(device), without: whole ? roleOf(whole) : null });
      const told = parts.at(-1) as Part;
      if (hasExport(home, device))
        parts.push({ ...told, who: estimatedExportKey(device.deviceId), isEstimatedExport: true });
    }
  }
  return parts;
}

/** What a home's devices were to it before a time, as a text: two homes of the same text add up to the same before then, of the same rows. */
export function rolesBefore(home: Home, before: Date): string {
  // Of a device that began later there is nothing before.
  const later = new Set(
    home.special.flatMap(({ deviceId, beginsAtMs }) =>
      beginsAtMs === null || beginsAtMs >= before.getTime() ? [deviceId, estimatedExportKey(deviceId)] : [],
    ),
  );
  const parts = partsOf(home, { from: new Date(EARLIEST_MS), to: before }).filter(({ who }) => !later.has(who));
  // What goes on is the same whenever it is asked about.
  return JSON.stringify(parts.map((part) => (part.to.getTime() === before.getTime() ? { ...part, to: null } : part)));
}

/** A stretch of time in which what a user, or one of its devices, imports and exports counts so often as what the home bought and fed in. */
export interface BoughtPart {
  key: 'user_id' | 'device_id';
  id: string;
  fromMs: number;
  toMs: number;
  imported: number;
  exported: number;
}

/** Whose load profiles tell what a home bought and fed in: its grid devices', and while there was none what its consumption devices imported. */
export function boughtParts(home: Home, range: { from: Date; to: Date }): BoughtPart[] {
  return partsOf(home, range).flatMap((part) => {
    const { gridImport, gridExport, alone } = weightsWithin(part);
    const [imported, exported] = [(gridImport.imported ?? 0) + (alone.imported ?? 0), gridExport.exported ?? 0];
    if (imported === 0 && exported === 0) return [];
    const key = part.role === 'all' ? ('user_id' as const) : ('device_id' as const);
    return [{ key, id: part.who, fromMs: part.from.getTime(), toMs: part.to.getTime(), imported, exported }];
  });
}

/** What rows of a user, or of one of its devices, add to each sum in a stretch of time: how often each of their measures is in it. */
export interface WeighedPart<Name extends string> {
  key: 'user_id' | 'device_id';
  id: string;
  fromMs: number;
  toMs: number;
  weights: Readonly<Record<Name, Weights>>;
}

/** Whose load profiles some sums of a home are made of, and how: those that add nothing to any of them are left out. */
export function weighedParts(
  home: Home,
  range: { from: Date; to: Date },
  sums: readonly HomeSum[],
): readonly WeighedPart<HomeSum>[] {
  return partsOf(home, range).flatMap((part) => {
    const weights = weightsWithin(part);
    if (sums.every((name) => Object.values(weights[name]).every((times) => times === 0))) return [];
    const key = part.role === 'all' ? ('user_id' as const) : ('device_id' as const);
    return [{ key, id: part.who, fromMs: part.from.getTime(), toMs: part.to.getTime(), weights }];
  });
}

/** Bounds of a home's stretches within a range that lie amid an hour, and so are read by the quarter-hour: starts of these hours, in Unix ms. */
export const cutHours = ({ stretches }: Home, { from, to }: { from: Date; to: Date }): number[] =>
  stretches
    .map(({ fromMs }) => fromMs)
    .filter((ms) => ms > from.getTime() && ms < to.getTime() && ms % HOUR_MS !== 0)
    .map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS);
