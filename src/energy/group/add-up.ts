import { setImmediate } from 'node:timers/promises';
import type { Database } from '#src/database/connect.ts';
import type { Home } from '../home/home.ts';
import { cutHours, MOST_CUTS } from '../home/pieces.ts';
import { expectedMs } from '../home/roles.ts';
import { type HomeMeasures, type HomeSums, measuresOf } from '../home/sums.ts';
import { dayRange, type Range } from '../ranges.ts';
import { type GroupUnit, readHomes, readPlain, readPlainMonth } from '../usage/groups.ts';
import type { Begun } from './begun.ts';
import { type Bucket, bucketsOf, hoursIn, mostOfUtcMonth } from './buckets.ts';
import { type GroupOfHomes, slices } from './homes.ts';
import type { Part } from './part.ts';
import { GroupTotals } from './totals.ts';

const DAY_MS = 86_400_000;
/**
 * Maximum number of homes times hours that one statement reads, which takes some tenths of a second. Composed homes take ten times as long.
 */
const PLAIN_HOURS = 1_000_000;
const COMPOSED_HOURS = 100_000;
/** Maximum number of rows by home that one statement returns. */
const MOST_ROWS = 20_000;

/** Sums of a bucket. `peak`: the part of the bucket in which the homes together used most. */
export interface Told {
  bucket: string;
  measures: HomeMeasures;
  peak: number | null;
}

/**
 * Returns the combined sums of a group's homes in the buckets of a range, without buckets of which nothing is known. `begun`: stored sums
 * of the first days of a month, read in the same snapshot.
 */
export async function addedUp(
  db: Database,
  group: GroupOfHomes,
  range: Range,
  unit: GroupUnit,
  begun: Begun | null = null,
): Promise<Told[]> {
  const totals = await totalsOf(db, group, range, unit, begun);
  return totals.names().map((bucket) => ({ bucket, measures: totals.measures(bucket), peak: totals.peak(bucket) }));
}

async function totalsOf(
  db: Database,
  group: GroupOfHomes,
  range: Range,
  unit: GroupUnit,
  begun: Begun | null,
): Promise<GroupTotals> {
  const totals = new GroupTotals();
  if (begun) totals.addParts(begun.parts, true);
  const rest = begun ? daysAfter(begun.end, range) : range;
  for await (const parts of plainParts(db, group.plain, rest, unit)) totals.addParts(parts, true);
  const buckets = group.include.has('coverage') ? bucketsOf(range, unit) : [];
  for await (const composed of group.composed())
    await addComposed(db, totals, composed, { range: rest, unit, buckets, begun });
  return totals;
}

/** Returns the days of a range after one of its days; empty if that is the last day. */
export const daysAfter = (day: string, { end, zone }: Range): Range =>
  dayRange(new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10), end, zone);

/** Yields the combined usage of homes whose usage is the sum of their devices' imports, in batches. */
export async function* plainParts(
  db: Database,
  userIds: readonly string[],
  range: Range,
  unit: GroupUnit,
): AsyncGenerator<Part[]> {
  if (range.from >= range.to) return;
  const month = unit === 'month' ? mostOfUtcMonth(range) : null;
  if (month) {
    for (const ids of slices(userIds, PLAIN_HOURS / (24 + month.restHours)))
      yield await readPlainMonth(db, ids, month, month.rest);
  } else {
    for (const ids of slices(userIds, PLAIN_HOURS / hoursIn(range))) yield await readPlain(db, ids, range, unit);
  }
}

/** Adds composed homes. `buckets`: all buckets if coverage is requested, otherwise empty. */
async function addComposed(
  db: Database,
  totals: GroupTotals,
  composed: readonly Home[],
  { range, unit, buckets, begun }: { range: Range; unit: GroupUnit; buckets: readonly Bucket[]; begun: Begun | null },
): Promise<void> {
  for (const homes of batches(composed, range, unit)) {
    const read = await readHomes(db, homes, range, unit, begun);
    totals.addParts(read.parts, false);
    const byHome = Map.groupBy(read.buckets, ({ home }) => home);
    for (const [place, home] of homes.entries()) {
      const told = byHome.get(place) ?? [];
      if (buckets.length > 0) addCovered(totals, home, told, buckets);
      else for (const sums of told) totals.addHome(sums.bucket, measuresOf(sums, home.had, 0), sums, 0);
    }
    // Yields to the event loop, so that other requests are served between batches.
    await setImmediate();
  }
}

/** Adds a home with every bucket in which data of it are expected, even if there are none. */
function addCovered(
  totals: GroupTotals,
  home: Home,
  told: readonly (HomeSums & { bucket: string })[],
  buckets: readonly Bucket[],
): void {
  const byName = new Map(told.map((sums) => [sums.bucket, sums]));
  for (const { name, fromMs, toMs } of buckets) {
    const sums = byName.get(name);
    const expected = expectedMs(home.devices, home.stretches, { fromMs, toMs });
    if (!sums && expected === 0) continue;
    totals.addHome(name, sums ? measuresOf(sums, home.had, expected) : NOTHING_KNOWN, sums ?? null, expected);
  }
}

/** Measures of a bucket without data. */
export const NOTHING_KNOWN: HomeMeasures = {
  used: null,
  gridImport: null,
  gridExport: null,
  production: null,
  charged: null,
  discharged: null,
  consumption: null,
  untracked: null,
  exported: null,
  selfConsumed: null,
  autarky: null,
  estimated: null,
  coverage: null,
  isComplete: null,
};

/**
 * Splits homes into batches for one statement each. A batch is limited by reading time, and by the number of hours in which a home's roles
 * change: these are read by quarter-hour.
 */
export function* batches(homes: readonly Home[], range: Range, unit: GroupUnit): Generator<readonly Home[]> {
  const hours = Math.max(1, hoursIn(range));
  const rows = { hour: hours, day: hours / 24, month: 1, span: 1 }[unit];
  const size = Math.max(1, Math.floor(Math.min(COMPOSED_HOURS / hours, MOST_ROWS / rows)));
  let batch: Home[] = [];
  let cut = new Set<number>();
  const ordered = [...homes].sort((a, b) => cutHours(a, range).length - cutHours(b, range).length);
  for (const home of ordered) {
    const more = new Set([...cut, ...cutHours(home, range)]);
    if (batch.length > 0 && (batch.length >= size || more.size > MOST_CUTS)) {
      yield batch;
      batch = [];
      cut = new Set(cutHours(home, range));
    } else cut = more;
    batch.push(home);
  }
  if (batch.length > 0) yield batch;
}
