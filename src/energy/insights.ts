import { mapInTurns } from '#src/core/turns.ts';
import { asMilliwattHours, type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { type AskedOfHome, loadHome } from './home/home.ts';
import { type HomeInsight, homeInsights, homeTotals } from './home/insights.ts';
import { hourLabels } from './hour-labels.ts';
import type { Include } from './include.ts';
import { hourLabel, hourOfDay } from './labels.ts';
import { type Range, stretchesOf } from './ranges.ts';
import { type Bucket, dateOf, type Imports, importedTotal, importsBy, type Whose } from './usage/imports.ts';

export type GroupBy = Bucket;

/** A row of GET /v1/energy-insights (specification, EnergyInsight). */
export interface Insight {
  date: string;
  hour?: string;
  starts_at?: string;
  kwh_used: number;
  peak_hour: string | null;
}

const labelled = (hour: number | null): string | null => (hour === null ? null : hourLabel(hour));
const NOTHING_MORE: ReadonlySet<Include> = new Set();
/** Of hours: 2,208 rows. With pages of 31 days a year took twice as long, for a first byte that was there a few milliseconds sooner. */
const DAYS_OF_A_PAGE = 92;

/**
 * What a user's home used by day, month or hour of the range's zone, with what was asked for beside that; buckets about which nothing is
 * known are left out.
 */
export async function insights(
  db: Database,
  userId: string,
  range: Range,
  groupBy: GroupBy,
  include = NOTHING_MORE,
): Promise<HomeInsight[]> {
  const rows: HomeInsight[] = [];
  for await (const page of insightPages(db, userId, range, groupBy, include)) rows.push(...page);
  return rows;
}

/** The same rows, those of many hours by stretches of days: each stretch is a question of its own to the database, about the same home. */
export async function* insightPages(
  db: Database,
  userId: string,
  range: Range,
  groupBy: GroupBy,
  include = NOTHING_MORE,
): AsyncGenerator<HomeInsight[]> {
  let home = include.size === 0 ? null : await loadHome(db, userId, needsOf(include));
  for (const stretch of groupBy === 'hour' ? stretchesOf(range, DAYS_OF_A_PAGE) : [range]) {
    const rows = home ? null : await imports(db, { userId }, stretch, groupBy);
    home ??= rows ? null : await loadHome(db, userId, needsOf(include));
    yield rows ?? (home ? await homeInsights(db, home, stretch, groupBy, include) : []);
  }
}

/** What a home is loaded for where these members are requested. */
const needsOf = (include: ReadonlySet<Include>): AskedOfHome => ({
  isMoreAsked: include.size > 0,
  needsConsumption: include.has('consumption') || include.has('untracked'),
});

/**
 * What was imported by day, month or hour of the range's zone; buckets about which nothing is known are left out. Null: the home of the user is put
 * together of its devices, so that its imports are not what it used.
 */
export async function imports(db: Database, whose: Whose, range: Range, groupBy: GroupBy): Promise<Insight[] | null> {
  const found = await importsBy(db, whose, range, groupBy);
  return found && insightsOf(found, range, groupBy);
}

/** Imports as rows of an answer. Turn by turn. */
function insightsOf({ at, milliwattHours, peaks }: Imports, range: Range, groupBy: GroupBy): Promise<Insight[]> {
  const places = [...at.keys()];
  const used = (place: number) => milliwattHoursToKwh(milliwattHours[place] as MilliwattHours);
  if (groupBy === 'hour') {
    const labelsOf = hourLabels(range);
    return mapInTurns(places, (place) => {
      const labels = labelsOf(new Date((at[place] as number) * 1_000));
      return { ...labels, kwh_used: used(place), peak_hour: labels.hour };
    });
  }
  return mapInTurns(places, (place) => {
    const peak = peaks[place] ?? null;
    const hour = groupBy === 'day' && peak !== null ? hourOfDay(new Date(peak * 1_000), range.zone) : peak;
    return { date: dateOf(at[place] as number), kwh_used: used(place), peak_hour: labelled(hour) };
  });
}

/** Totals of a range, as the variant of GET and as POST answer them, with what was asked for beside them. */
export async function summary(db: Database, userId: string, range: Range, include = NOTHING_MORE) {
  const total = include.size > 0 ? null : await importedTotal(db, { userId }, range);
  if (!total) return homeTotals(db, await loadHome(db, userId, needsOf(include)), range, include);
  const { milliwattHours, days, peakHourOfDay } = total;
  return {
    total_kwh: milliwattHoursToKwh(milliwattHours),
    avg_daily_kwh: days === 0 ? 0 : milliwattHoursToKwh(asMilliwattHours(milliwattHours / days)),
    peak_usage_time: labelled(peakHourOfDay),
    included: {},
  };
}
