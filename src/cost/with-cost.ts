import type { Cost } from './cost.ts';
import type { BucketLabels, CostBucket } from './costs.ts';

/** What every row about usage has, and may have. */
type Row = BucketLabels & { kwh_used: number | null; peak_hour: string | null };

/**
 * Rows with what they cost, in order of time; null where no tariff held in one. Where there is a cost and nothing is known of the energy there
 * is a row of it alone: `members`, what else was asked for, is null in it. Pure.
 */
export function withCosts<R extends Row>(
  rows: readonly R[],
  costs: readonly CostBucket[],
  members: readonly string[],
): (R & { cost: Cost | null })[] {
  const byKey = new Map<string, R & { cost: Cost | null }>(rows.map((row) => [keyOf(row), { ...row, cost: null }]));
  const unknown = Object.fromEntries(members.map((name) => [name, null]));
  for (const { labels, cost } of costs) {
    const row =
      byKey.get(keyOf(labels)) ?? ({ ...labels, kwh_used: null, peak_hour: null, ...unknown } as unknown as R);
    byKey.set(keyOf(labels), { ...row, cost });
  }
  // Of two hours that a clock showed twice the one with the greater offset comes first.
  const instant = (row: Row) => Date.parse(row.starts_at ?? row.date);
  return [...byKey.values()].sort((a, b) => instant(a) - instant(b));
}

const keyOf = ({ date, starts_at }: BucketLabels): string => starts_at ?? date;

/** Columns of a cost in CSV, in the order of its members. */
export const COST_COLUMNS = [
  'cost_currency',
  'cost_total',
  'cost_import',
  'cost_export',
  'cost_standing',
  'cost_capacity',
  'cost_estimated',
  'cost_missing_prices_kwh',
] as const;

/** A row as CSV has it: each member of its cost in a column of its own, empty where there is none. Pure. */
export function flattened({ cost, ...row }: object & { cost?: Cost | null }): object {
  return { ...row, ...Object.fromEntries(Object.entries(cost ?? {}).map(([name, value]) => [`cost_${name}`, value])) };
}
