import { omitUndefined } from '#src/core/omit-undefined.ts';
import { castToMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { Commodity } from '#src/database/meter.ts';
import type { RowTimeLabels } from './clock-labels.ts';
import { type Home, loadHomeForCommodity } from './home/home.ts';
import { loadHomeBuckets } from './home/insights.ts';
import { computeExpectedCoverageMs } from './home/roles.ts';
import { computeEstimatedUsage, computeHomeUsage } from './home/sums.ts';
import type { GroupBy } from './insights.ts';
import { formatHour } from './labels.ts';
import type { DayRange } from './ranges.ts';
import { readHomeSummary } from './usage/home-sums.ts';

export const INCLUDABLE_COMMODITY_FIELDS = ['estimated', 'coverage'] as const;
export type IncludableCommodityField = (typeof INCLUDABLE_COMMODITY_FIELDS)[number];

/** Usage as energy, as volume, or as both if the home has meters of both kinds. */
interface Used {
  kwh_used?: number;
  m3_used?: number;
  estimated_kwh?: number;
  estimated_m3?: number;
}

interface Covered {
  coverage?: number | null;
  complete?: boolean | null;
}

export type CommodityInsight = Used &
  Covered &
  RowTimeLabels & {
    peak_hour: string | null;
  };

/** Time with known data, and time for which data are expected, for one unit (kWh or m³). */
interface Known {
  knownMs: number;
  expectedMs: number;
}

/** If a home has meters in kWh and in m³, the peak hour is the hour with the highest energy in kWh. */
const UNITS = [
  { suffix: '', used: 'kwh_used', estimated: 'estimated_kwh' },
  { suffix: '_m3', used: 'm3_used', estimated: 'estimated_m3' },
] as const;

/** Loads the home once for each unit (kWh, m³) in which it has a meter of the commodity. */
async function homesOf(db: Database, userId: string, commodity: Commodity) {
  const loaded = await Promise.all(
    UNITS.map(async (unit) => {
      return { unit, home: await loadHomeForCommodity(db, { userId }, `${commodity}${unit.suffix}`) };
    }),
  );
  return loaded.filter(({ home }) => home.devices.length > 0);
}

/** Returns the use of gas, heat or water by a home, in rows by the range's time zone. Omits rows without data. */
export async function loadCommodityInsights(
  db: Database,
  userId: string,
  commodity: Commodity,
  range: DayRange,
  groupBy: GroupBy,
  include: ReadonlySet<IncludableCommodityField>,
): Promise<CommodityInsight[]> {
  const rows = new Map<string, { insight: CommodityInsight; known: Known[] }>();
  for (const { unit, home } of await homesOf(db, userId, commodity)) {
    for (const { insight, ...known } of await loadHomeBuckets(db, home, range, groupBy, include)) {
      const { kwh_used: used, estimated_kwh, date, hour, time, starts_at, peak_hour } = insight;
      if (used === null) continue;
      const key = starts_at ?? date;
      const before = rows.get(key);
      rows.set(key, {
        insight: {
          ...(before?.insight ?? { date, ...omitUndefined({ hour, time, starts_at }) }),
          [unit.used]: used,
          peak_hour: before?.insight.peak_hour ?? peak_hour,
          ...(include.has('estimated') && { [unit.estimated]: estimated_kwh ?? 0 }),
        },
        known: [...(before?.known ?? []), known],
      });
    }
  }
  const ordered = [...rows].sort(([a], [b]) => Date.parse(a) - Date.parse(b));
  return ordered.map(([, { insight, known }]) => ({ ...insight, ...covered(known, include) }));
}

/** Returns the use of gas, heat or water by a home over a whole range. */
export async function loadCommoditySummary(
  db: Database,
  userId: string,
  commodity: Commodity,
  range: DayRange,
  include: ReadonlySet<IncludableCommodityField>,
): Promise<Used & Covered & { peak_usage_time: string | null }> {
  const usedByUnit: Used = {};
  const known: Known[] = [];
  let peak: string | null | undefined;
  for (const { unit, home } of await homesOf(db, userId, commodity)) {
    const { peakHourOfDay, days: _, ...sums } = await readHomeSummary(db, home, range);
    usedByUnit[unit.used] = milliwattHoursToKwh(computeHomeUsage(sums) ?? castToMilliwattHours(0));
    if (include.has('estimated')) {
      usedByUnit[unit.estimated] = milliwattHoursToKwh(computeEstimatedUsage(sums));
    }
    known.push({ knownMs: sums.countedMs ?? 0, expectedMs: expectedWithin(home, range) });
    peak ??= peakHourOfDay === null ? undefined : formatHour(peakHourOfDay);
  }
  const isNothing = known.length === 0;
  return {
    ...(isNothing && { kwh_used: 0 }),
    ...usedByUnit,
    peak_usage_time: peak ?? null,
    ...covered(known, include),
  };
}

const expectedWithin = ({ devices, stretches }: Home, { from, to }: DayRange): number =>
  computeExpectedCoverageMs(devices, stretches, { fromMs: from.getTime(), toMs: to.getTime() });

function covered(known: readonly Known[], include: ReadonlySet<IncludableCommodityField>): Covered {
  const sum = (of: keyof Known) => known.reduce((all, one) => all + one[of], 0);
  const expected = sum('expectedMs');
  if (!include.has('coverage')) return {};
  if (expected === 0) return { coverage: null, complete: null };
  return {
    coverage: Math.floor((1_000 * sum('knownMs')) / expected) / 1_000,
    complete: sum('knownMs') >= expected,
  };
}
