import { DateTime } from 'luxon';
import type { Database } from '#src/database/connect.ts';
import { type IncludeName, listIncludedFields } from '#src/energy/include.ts';
import { type GroupBy, loadInsights, splitIntoPages } from '#src/energy/insights.ts';
import { dayRange, type Range } from '#src/energy/ranges.ts';
import type { Cost } from './cost.ts';
import { assertOneCurrencyInRange, loadCosts } from './costs.ts';
import { addCostsToRows } from './with-cost.ts';

interface AskedInsights {
  userId: string;
  range: Range;
  groupBy: GroupBy;
  include: ReadonlySet<IncludeName>;
  now: Date;
}

/** Returns the usage of a user's home (energy/insights.ts) with its cost. */
export async function loadInsightsWithCosts(db: Database, { userId, range, groupBy, include, now }: AskedInsights) {
  const [rows, costs] = await Promise.all([
    loadInsights(db, userId, range, groupBy, include),
    loadCosts(db, { buyer: { userId }, range, now }, groupBy),
  ]);
  return addCostsToRows(rows, costs, listIncludedFields(include));
}

/** Yields the rows with costs page by page, in the pages of rows without costs. */
export async function* streamInsightsWithCosts(db: Database, asked: AskedInsights) {
  // Checked for the whole range: once a streamed response has begun, an error can no longer be returned.
  await assertOneCurrencyInRange(db, asked.userId, asked.range);
  for (const range of splitIntoPages(asked.range, asked.groupBy))
    yield await loadInsightsWithCosts(db, { ...asked, range });
}

/** Adds costs to monthly rows (YYYY-MM in the zone). */
export async function addCostsToMonths<Row extends { month: string }>(
  db: Database,
  rows: readonly Row[],
  { userId, zone, now }: { userId: string; zone: string; now: Date },
): Promise<(Row & { cost: Cost | null })[]> {
  const [first] = rows;
  if (!first) return [];
  const today = DateTime.fromJSDate(now, { zone }).toISODate() ?? '';
  const costs = await loadCosts(
    db,
    { buyer: { userId }, range: dayRange(`${first.month}-01`, today, zone), now },
    'month',
  );
  const costOf = new Map(costs.map(({ labels, cost }) => [labels.date.slice(0, 7), cost]));
  return rows.map((row) => ({ ...row, cost: costOf.get(row.month) ?? null }));
}
