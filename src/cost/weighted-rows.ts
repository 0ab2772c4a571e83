import type { RowTimeLabels } from '#src/energy/clock-labels.ts';
import type { IncludableCostOrEmissions } from '#src/energy/include.ts';
import type { Cost } from './cost.ts';
import type { CostBucket } from './costs.ts';

export type UsageRow = RowTimeLabels & { kwh_used: number | null; peak_hour: string | null };

/**
 * Adds costs to rows in order of time. The cost is null if no tariff was valid. If a period has a cost but no row, adds a row for the
 * period, with null for `members` (the other requested fields).
 */
export function addCostsToRows<R extends UsageRow>(
  rows: readonly R[],
  costs: readonly CostBucket[],
  members: readonly string[],
): (R & { cost: Cost | null })[] {
  const byKey = new Map<string, R & { cost: Cost | null }>(
    rows.map((row) => [getUsageRowKey(row), { ...row, cost: null }]),
  );
  const unknown = Object.fromEntries(members.map((name) => [name, null]));
  for (const { labels, cost } of costs) {
    const row =
      byKey.get(getUsageRowKey(labels)) ?? ({ ...labels, kwh_used: null, peak_hour: null, ...unknown } as unknown as R);
    byKey.set(getUsageRowKey(labels), { ...row, cost });
  }
  // If the clock shows an hour twice, the row with the greater UTC offset comes first.
  const instant = (row: UsageRow) => Date.parse(row.starts_at ?? row.date);
  return [...byKey.values()].sort((a, b) => instant(a) - instant(b));
}

export const getUsageRowKey = ({ date, starts_at }: RowTimeLabels): string => starts_at ?? date;

/** CSV columns for cost and emissions, in the order of their fields. */
const COLUMNS: Record<IncludableCostOrEmissions, readonly string[]> = {
  cost: [
    'cost_currency',
    'cost_total',
    'cost_import',
    'cost_export',
    'cost_standing',
    'cost_capacity',
    'cost_estimated',
    'cost_missing_prices_kwh',
  ],
  emissions: ['emissions_kg_co2e', 'emissions_missing_kwh'],
};

export const listCostAndEmissionColumns = (weighted: ReadonlySet<IncludableCostOrEmissions>): string[] =>
  [...weighted].flatMap((name) => COLUMNS[name]);

/** Returns a row for CSV, in which each field of cost and emissions is a column of its own. */
export function flattenCostsAndEmissions(row: object & { cost?: object | null; emissions?: object | null }): object {
  const { cost, emissions, ...rest } = row;
  const columns = Object.entries({ cost, emissions }).flatMap(([name, members]) =>
    Object.entries(members ?? {}).map(([member, value]) => [`${name}_${member}`, value]),
  );
  return { ...rest, ...Object.fromEntries(columns) };
}
