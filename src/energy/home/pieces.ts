import { type RawBuilder, sql } from 'kysely';
import { HOUR_MS } from '#src/core/units.ts';
import { estimatedExportKey } from '#src/database/meter.ts';
import { COLUMN } from '#src/rollups/levels.ts';
import { piecesOfEach } from '#src/rollups/parts.ts';
import { startOfHour } from '../local-time.ts';
import { pieceMinutes, type Range } from '../ranges.ts';
import type { Home } from './home.ts';
import type { HomeDevice, HomeRole } from './roles.ts';
import { type HomeSum, sumNames } from './sums.ts';

/** Before anything that can be stored. */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
/** Where roles change more often amid hours, all of the range is read by the quarter-hour. */
export const MOST_CUTS = 20;
const READ = [
  COLUMN.energyMilliwattHours,
  COLUMN.exportMilliwattHours,
  COLUMN.estimatedMilliwattHours,
  COLUMN.coveredMs,
  COLUMN.exportCoveredMs,
];

/** What a device, or all of them, is to its home for a while: a row that its pieces are joined with. */
interface Part {
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
interface Weights {
  imported?: number;
  exported?: number;
  estimated?: number;
  importMs?: number;
  exportMs?: number;
}
const COLUMNS: Record<keyof Weights, string> = {
  imported: COLUMN.energyMilliwattHours,
  exported: COLUMN.exportMilliwattHours,
  estimated: COLUMN.estimatedMilliwattHours,
  importMs: COLUMN.coveredMs,
  exportMs: COLUMN.exportCoveredMs,
};

/** The measures that a sum is made of, of any part: the others need not be multiplied. */
const MADE_OF: Record<HomeSum, readonly (keyof Weights)[]> = {
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
function weightsWithin(part: Part): Record<HomeSum, Weights> {
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
const hasExport = ({ devices }: Home, { deviceId }: HomeDevice): boolean =>
  devices.some(
    (one) => (one.deviceId === deviceId || one.partOf === deviceId) && one.counted.some(({ exports }) => exports > 0),
  );

/** Which rows of whom are read in a range, and as what. */
function partsOf(home: Home, { from, to }: { from: Date; to: Date }): Part[] {
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
export interface WeighedPart {
  key: BoughtPart['key'];
  id: string;
  fromMs: number;
  toMs: number;
  weights: Record<HomeSum, Partial<Record<'imported' | 'exported' | 'estimated' | 'importMs' | 'exportMs', number>>>;
}

/** Whose load profiles some sums of a home are made of, and how: those that add nothing to any of them are left out. */
export function weighedParts(
  home: Home,
  range: { from: Date; to: Date },
  sums: readonly HomeSum[],
): readonly WeighedPart[] {
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

/** The range, cut so that no piece lies in two stretches of one of the homes, or over an end of the range. */
function cuts(homes: readonly Home[], { from, to }: { from: Date; to: Date }, minutes: 15 | 30 | 60) {
  const bounds = homes
    .flatMap(({ stretches }) => stretches)
    .map(({ fromMs }) => fromMs)
    .filter((ms) => ms > from.getTime() && ms < to.getTime())
    .concat(from.getTime(), to.getTime())
    .filter((ms) => ms % (minutes * 60_000) !== 0);
  const hours = [...new Set(bounds.map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS))].toSorted((a, b) => a - b);
  if (hours.length > MOST_CUTS) return [{ from, to, minutes: 15 as const }];
  const pieces: { from: Date; to: Date; minutes: 15 | 30 | 60 }[] = [];
  let start = from;
  for (const hour of hours) {
    // Where a range begins or ends amid the hour, its own bounds hold.
    const [cutFrom, cutTo] = [
      new Date(Math.max(hour, from.getTime())),
      new Date(Math.min(hour + HOUR_MS, to.getTime())),
    ];
    if (start < cutFrom) pieces.push({ from: start, to: cutFrom, minutes });
    pieces.push({ from: cutFrom, to: cutTo, minutes: 15 });
    start = cutTo;
  }
  if (start < to) pieces.push({ from: start, to, minutes });
  return pieces;
}

/** Columns of the sums, and the same summed again: doubles, which are added ten times as fast as bigints and have all mWh below 2^53. */
export const sumColumns = (homes: readonly Home[]): RawBuilder<unknown> =>
  sql.raw(
    sumNames(isMoreAsked(homes))
      .map((name) => `"${name}"`)
      .join(', '),
  );
export const summed = (homes: readonly Home[]): RawBuilder<unknown> =>
  sql.raw(
    sumNames(isMoreAsked(homes))
      .map((name) => `sum("${name}") AS "${name}"`)
      .join(', '),
  );

/**
 * The pieces of time that a range of some homes is read in (`p`, with `at`), each with the weights of its part (`f`, with `home`, the place of the
 * home in the list), and the sums of them. The homes were asked the same.
 */
function weighted(homes: readonly Home[], range: { from: Date; to: Date }, minutes: 15 | 30 | 60) {
  const parts = homes.flatMap((home, place) => partsOf(home, range).map((part) => ({ ...part, place })));
  const ids = homes.flatMap((home) =>
    home.special.flatMap((device) =>
      hasExport(home, device) ? [device.deviceId, estimatedExportKey(device.deviceId)] : [device.deviceId],
    ),
  );
  const devices = { key: 'device_id', ids } as const;
  const users = {
    key: 'user_id',
    ids: homes.flatMap((home, place) =>
      home.needsConsumption || parts.some((part) => part.place === place && !part.isGridThere) ? [home.userId] : [],
    ),
  } as const;
  const isAllNeeded = users.ids.length > 0 || devices.ids.length === 0;
  const owners = [...(devices.ids.length > 0 ? [devices] : []), ...(isAllNeeded ? [users] : [])];
  const pieces = cuts(homes, range, minutes);
  const rows = pieces.flatMap((piece) => owners.map((owner) => piecesOfEach(owner, piece, piece.minutes, READ)));
  // One column of weights for each measure of each sum.
  const names = sumNames(isMoreAsked(homes));
  const weights = parts.map(weightsWithin);
  const columns = names.flatMap((name) =>
    MADE_OF[name].map((measure) => ({
      as: `"${name}_${measure}"`,
      values: weights.map((one) => one[name][measure] ?? 0),
    })),
  );
  const sums = names.map((name) => {
    const terms = MADE_OF[name].map((measure) => `f."${name}_${measure}" * p.${COLUMNS[measure]}`);
    return `sum(${terms.join(' + ')}) AS "${name}"`;
  });
  const column = <Name extends 'who' | 'from' | 'to' | 'place'>(name: Name) => parts.map((part) => part[name]);
  const arrays = sql.join([
    sql`${column('place')}::int[], ${column('who')}::text[], ${column('from')}::timestamptz[], ${column('to')}::timestamptz[]`,
    ...columns.map(({ values }) => sql`${values}::float8[]`),
  ]);
  const found = sql`(${sql.join(rows, sql` UNION ALL `)}) p
    JOIN unnest(${arrays}) f (home, who, from_at, to_at, ${sql.raw(columns.map(({ as }) => as).join(', '))})
      ON f.who = p.who AND p.at >= f.from_at AND p.at < f.to_at`;
  return { found, sums: sql.raw(sums.join(', ')), isWhole: pieces.every((piece) => piece.minutes === minutes) };
}

const isMoreAsked = (homes: readonly Home[]): boolean => homes.some((home) => home.isMoreAsked);

/** The sums of a home over `[from, to)`, starts of quarter-hours, in SQL: one row. */
export function homeSpan(home: Home, range: { from: Date; to: Date }): RawBuilder<unknown> {
  const { found, sums } = weighted([home], range, 60);
  return sql`SELECT ${sums} FROM ${found}`;
}

/** The sums of a home by clock hour of the range's zone, in SQL: columns `hour` and those of the sums. */
export const homeHours = (home: Home, range: Range): RawBuilder<unknown> => hoursBy([home], range, sql``, sql``);

/** The same of each of some homes, with `home`: its place in the list. */
export const homesHours = (homes: readonly Home[], range: Range): RawBuilder<unknown> =>
  hoursBy(homes, range, sql`home, `, sql`, 2`);

function hoursBy(
  homes: readonly Home[],
  range: Range,
  by: RawBuilder<unknown>,
  andBy: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const minutes = pieceMinutes(range);
  const { found, sums, isWhole } = weighted(homes, range, minutes);
  // Raw SQL: the hot path of every answer about a home.
  if (minutes === 60) {
    return sql`SELECT ${by}${isWhole ? sql`at` : sql`date_bin('1 hour', at, 'epoch')`} AS hour, ${sums} FROM ${found} GROUP BY 1${andBy}`;
  }
  // Devices are summed first: a calendar takes longer than a sum.
  return sql`SELECT ${by}${startOfHour(sql`at`, range)} AS hour, ${summed(homes)}
    FROM (SELECT ${by}at, ${sums} FROM ${found} GROUP BY 1${andBy}) p GROUP BY 1${andBy}`;
}
