import { DateTime } from 'luxon';
import type { Database } from '#src/database/connect.ts';
import { type IncludableCostOrEmissions, type IncludableField, listIncludedFields } from '#src/energy/include.ts';
import { type GroupBy, loadUsageInsights, splitRangeIntoPages } from '#src/energy/insights.ts';
import { createDayRange, type DayRange } from '#src/energy/ranges.ts';
import type { Cost } from './cost.ts';
import { assertOneCurrencyInRange, type CostQuery, loadCosts, loadTotalCost } from './costs.ts';
import { type Emissions, loadEmissions, loadTotalEmissions } from './emissions.ts';
import { addCostsToRows, type UsageRow } from './weighted-rows.ts';

/**
 * Costs and emissions of a row or a range. A cost is null if no tariff was valid; emissions are null if the user has no emission series.
 */
interface CostAndEmissions {
  cost?: Cost | null;
  emissions?: Emissions | null;
}

interface AskedInsights {
  userId: string;
  range: DayRange;
  groupBy: GroupBy;
  include: ReadonlySet<IncludableField>;
  weighted: ReadonlySet<IncludableCostOrEmissions>;
  now: Date;
}

/**
 * Adds the requested costs and emissions to rows in order of time. If a period has a cost but no row, adds a row for the period, with null
 * for `members` (the other requested fields).
 */
export async function addCostsAndEmissions<Row extends UsageRow>(
  db: Database,
  rows: readonly Row[],
  {
    groupBy,
    weighted,
    members,
    ...asked
  }: CostQuery & Pick<AskedInsights, 'groupBy' | 'weighted'> & { members: string[] },
): Promise<(Row & CostAndEmissions)[]> {
  if (weighted.size === 0) return [...rows];
  const [costs, emissionsOf] = await Promise.all([
    weighted.has('cost') ? loadCosts(db, asked, groupBy) : null,
    weighted.has('emissions') ? loadEmissions(db, asked, groupBy) : null,
  ]);
  const costed: (Row & CostAndEmissions)[] = costs ? addCostsToRows(rows, costs, members) : [...rows];
  if (!weighted.has('emissions')) return costed;
  return costed.map((row) => ({ ...row, emissions: emissionsOf?.(row) ?? null }));
}

/** Returns the requested costs and emissions of a whole range. */
export async function loadCostAndEmissionTotals(
  db: Database,
  asked: CostQuery,
  weighted: ReadonlySet<IncludableCostOrEmissions>,
): Promise<CostAndEmissions> {
  return {
    ...(weighted.has('cost') && { cost: await loadTotalCost(db, asked) }),
    ...(weighted.has('emissions') && { emissions: await loadTotalEmissions(db, asked) }),
  };
}

/** Returns the usage of a user's home with its cost and emissions. */
export async function loadInsightsWithCostAndEmissions(db: Database, asked: AskedInsights) {
  const { userId, range, groupBy, include, weighted, now } = asked;
  const rows = await loadUsageInsights(db, userId, range, groupBy, include);
  if (weighted.size === 0) return rows;
  const members = listIncludedFields(include);
  return addCostsAndEmissions(db, rows, { buyer: { userId }, range, now, groupBy, weighted, members });
}

/** Yields pages of usage rows with their costs and emissions. */
export async function* streamInsightsWithCostAndEmissions(db: Database, asked: AskedInsights) {
  // Checked before the response begins, because no error can be returned afterwards.
  if (asked.weighted.has('cost')) await assertOneCurrencyInRange(db, asked.userId, asked.range);
  for (const range of splitRangeIntoPages(asked.range, asked.groupBy))
    yield await loadInsightsWithCostAndEmissions(db, { ...asked, range });
}

/** Adds the requested costs and emissions to rows by month. */
export async function addCostsAndEmissionsToMonths<Row extends { month: string }>(
  db: Database,
  rows: readonly Row[],
  { userId, zone, now, weighted }: { userId: string; zone: string; now: Date; weighted: AskedInsights['weighted'] },
): Promise<(Row & CostAndEmissions)[]> {
  const [first] = rows;
  if (!first || weighted.size === 0) return [...rows];
  const today = DateTime.fromJSDate(now, { zone }).toISODate() ?? '';
  const range = createDayRange(`${first.month}-01`, today, zone);
  const months = rows.map(({ month }) => ({ date: `${month}-01`, kwh_used: null, peak_hour: null }));
  const asked = { buyer: { userId }, range, now, groupBy: 'month' as const, weighted, members: [] };
  const weightedMonths = await addCostsAndEmissions(db, months, asked);
  const byMonth = new Map(weightedMonths.map(({ date, kwh_used: _, peak_hour: __, ...of }) => [date, of]));
  return rows.map((row) => ({ ...row, ...byMonth.get(`${row.month}-01`) }));
}
