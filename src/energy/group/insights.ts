import { setImmediate } from 'node:timers/promises';
import { DateTime } from 'luxon';
import { asMilliwattHours, milliwattHoursToKwh, QUARTER_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { composedAmong, type Home, loadHomes } from '../home/home.ts';
import type { HomeInsight } from '../home/insights.ts';
import { cutHours, MOST_CUTS } from '../home/pieces.ts';
import { expectedMs } from '../home/roles.ts';
import { type HomeMeasures, type HomeSums, measuresOf } from '../home/sums.ts';
import { hourLabels } from '../hour-labels.ts';
import { type Include, included, isAnythingKnown } from '../include.ts';
import type { GroupBy } from '../insights.ts';
import { hourLabel, hourOfDay } from '../labels.ts';
import { offsetsIn } from '../local-time.ts';
import { dayRange, type Range, stretchesOf } from '../ranges.ts';
import { type GroupUnit, readHomes, readPlain, readPlainMonths } from './read.ts';
import { GroupTotals } from './totals.ts';

const HOUR_MS = 3_600_000;
/** Hours of homes that one statement reads: some tenths of a second. Those that are composed take ten times as long. */
const PLAIN_HOURS = 1_000_000;
const COMPOSED_HOURS = 100_000;
/** Rows by home that one statement answers. */
const MOST_ROWS = 20_000;
/** Homes that are loaded at once. */
const LOADED = 500;
/** Days of a page: a question of its own to the database. */
const DAYS_OF_A_PAGE = 31;

/** The homes of a group, as they are put together for an answer. */
export interface GroupOfHomes {
  /** Those that are the sum of what their devices import. */
  plain: readonly string[];
  composed: readonly Home[];
  include: ReadonlySet<Include>;
}

/** Loads the homes of a group: all of them where more is asked than what they used, else those of which the sum of imports does not tell it. */
export async function loadGroup(
  db: Database,
  userIds: readonly string[],
  include: ReadonlySet<Include>,
): Promise<GroupOfHomes> {
  const isMoreAsked = include.size > 0;
  const asked = { isMoreAsked, needsConsumption: include.has('consumption') || include.has('untracked') };
  const plain: string[] = [];
  const composed: Home[] = [];
  for (const ids of slices(userIds, LOADED)) {
    const found = isMoreAsked ? new Set(ids) : await composedAmong(db, ids);
    plain.push(...ids.filter((id) => !found.has(id)));
    const more = ids.filter((id) => found.has(id));
    if (more.length > 0) composed.push(...(await loadHomes(db, more, asked)));
  }
  return { plain, composed, include };
}

/**
 * What the homes of a group used together by day, month or hour of the range's zone, with what was asked for beside that, page by page. A bucket is
 * the sum of what is known of each home in it, and left out where nothing is known of any.
 */
export async function* groupPages(
  db: Database,
  group: GroupOfHomes,
  range: Range,
  groupBy: GroupBy,
): AsyncGenerator<HomeInsight[]> {
  const stretches = groupBy === 'month' ? monthsOf(range) : stretchesOf(range, DAYS_OF_A_PAGE);
  for (const stretch of stretches) yield rowsOf(await totalsOf(db, group, stretch, groupBy), group, stretch, groupBy);
}

/** Totals of a group over a range, as the variant without dates answers them. */
export async function groupSummary(db: Database, group: GroupOfHomes, range: Range) {
  const totals = await totalsOf(db, group, range, 'span');
  const measures = totals.measures('');
  const peak = totals.peak('');
  return {
    kwh_used: milliwattHoursToKwh(measures.used ?? asMilliwattHours(0)),
    peak_usage_time: peak === null ? null : hourLabel(peak),
    ...included(measures, group.include),
  };
}

function rowsOf(totals: GroupTotals, { include }: GroupOfHomes, range: Range, groupBy: GroupBy): HomeInsight[] {
  const labelsOf = hourLabels(range);
  return totals.names().flatMap((bucket) => {
    const measures = totals.measures(bucket);
    if (!isAnythingKnown(measures, include)) return [];
    const kwh_used = measures.used === null ? null : milliwattHoursToKwh(measures.used);
    const more = included(measures, include);
    if (groupBy === 'hour') {
      const labels = labelsOf(new Date(Number(bucket) * 1_000));
      return [{ ...labels, kwh_used, peak_hour: labels.hour, ...more }];
    }
    const peak = totals.peak(bucket);
    const hour = peak !== null && groupBy === 'day' ? hourOfDay(new Date(peak * 1_000), range.zone) : peak;
    return [{ date: bucket, kwh_used, peak_hour: hour === null ? null : hourLabel(hour), ...more }];
  });
}

async function totalsOf(
  db: Database,
  { plain, composed, include }: GroupOfHomes,
  range: Range,
  unit: GroupUnit,
): Promise<GroupTotals> {
  const totals = new GroupTotals();
  const hours = Math.ceil((range.to.getTime() - range.from.getTime()) / HOUR_MS);
  if (unit === 'month' && isWholeUtcMonth(range)) {
    for (const ids of slices(plain, PLAIN_HOURS / 24)) totals.addParts(await readPlainMonths(db, ids, range), true);
  } else {
    for (const ids of slices(plain, PLAIN_HOURS / hours)) totals.addParts(await readPlain(db, ids, range, unit), true);
  }
  const buckets = include.has('coverage') ? bucketsOf(range, unit) : [];
  const rows = { hour: hours, day: hours / 24, month: 1, span: 1 }[unit];
  const most = Math.min(COMPOSED_HOURS / hours, MOST_ROWS / rows);
  for (const homes of batches(composed, range, most)) {
    const read = await readHomes(db, homes, range, unit);
    totals.addParts(read.parts, false);
    const byHome = Map.groupBy(read.buckets, ({ home }) => home);
    for (const [place, home] of homes.entries()) {
      const told = byHome.get(place) ?? [];
      if (include.has('coverage')) addCovered(totals, home, told, buckets);
      else for (const sums of told) totals.addHome(sums.bucket, measuresOf(sums, home.had, 0), sums, 0);
    }
    // Others have waited while these were added up.
    await setImmediate();
  }
  return totals;
}

/** Adds a home with all buckets in which something of it should be known, whether or not it is. */
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

const NOTHING_KNOWN: HomeMeasures = {
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

interface Bucket {
  name: string;
  fromMs: number;
  toMs: number;
}

/** The buckets of a range, by the names that they are read with. */
function bucketsOf(range: Range, unit: GroupUnit): Bucket[] {
  const [fromMs, toMs] = [range.from.getTime(), range.to.getTime()];
  if (unit === 'span') return [{ name: '', fromMs, toMs }];
  if (unit === 'month') return [{ name: `${range.start.slice(0, 7)}-01`, fromMs, toMs }];
  const buckets: Bucket[] = [];
  if (unit === 'day') {
    for (const { start, from, to } of stretchesOf(range, 1))
      buckets.push({ name: start, fromMs: from.getTime(), toMs: to.getTime() });
    return buckets;
  }
  for (const startMs of startsOfHours(range))
    buckets.push({ name: String(startMs / 1_000), fromMs: startMs, toMs: startMs + HOUR_MS });
  return buckets;
}

/** Starts of the clock hours of a range, Unix ms, as `startOfHour` tells them in SQL. */
function startsOfHours(range: Range): Iterable<number> {
  const { firstMs, changes } = offsetsIn(range);
  const starts = new Set<number>();
  for (let ms = range.from.getTime(); ms < range.to.getTime(); ms += QUARTER_MS) {
    const change = changes.findLast(({ atMs }) => atMs <= ms);
    const offsetMs = change?.offsetMs ?? firstMs;
    const hourMs = Math.floor((ms + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
    starts.add(Math.max(hourMs, change?.atMs ?? Number.NEGATIVE_INFINITY));
  }
  return starts;
}

/** The calendar months of a range, of each the days that lie in it. */
function monthsOf({ start, end, zone }: Range): Range[] {
  const months: Range[] = [];
  for (let first = start; first <= end; ) {
    const month = DateTime.fromISO(first, { zone: 'utc' });
    const last = month.endOf('month').toISODate() ?? end;
    months.push(dayRange(first, last < end ? last : end, zone));
    first = month.startOf('month').plus({ months: 1 }).toISODate() ?? '9999';
  }
  return months;
}

/** Whether a month is one of those that hours of the day are kept of. */
const isWholeUtcMonth = ({ from, to, zone }: Range): boolean =>
  zone === 'UTC' &&
  from.getUTCDate() === 1 &&
  DateTime.fromJSDate(from, { zone }).plus({ months: 1 }).toMillis() === to.getTime();

function* slices<T>(all: readonly T[], most: number): Generator<readonly T[]> {
  const size = Math.max(1, Math.floor(most));
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** Homes that are read in one statement: so many at most, of which few enough change amid hours that these alone are read by the quarter-hour. */
function* batches(homes: readonly Home[], range: Range, most: number): Generator<readonly Home[]> {
  const size = Math.max(1, Math.floor(most));
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
