/** A tariff by which the last twelve months would have cost less. Amounts are exact text of the currency. */
export interface CheaperTariff {
  kind: 'cheaper_tariff';
  /** First and last day, YYYY-MM-DD of the user's zone. */
  start: string;
  end: string;
  tariffId: string;
  name: string;
  /** ISO 4217. */
  currency: string;
  paid: string;
  wouldHavePaid: string;
}

/** What a year cost, or would have cost. */
interface YearCost {
  currency: string;
  total: string;
  missing_prices_kwh: number;
}

/** Less is within what another year would change. */
const LEAST_SHARE = 0.05;
/** Energy without a price would make a tariff look cheap. */
const MOST_MISSING_KWH = 10;

/** The cheapest of some tariffs, where it would have saved enough; null: none would, or too many of the prices are not known. */
export function cheaperTariff(
  paid: YearCost,
  others: readonly { tariffId: string; name: string; cost: YearCost }[],
  { start, end }: { start: string; end: string },
): CheaperTariff | null {
  const isKnown = ({ missing_prices_kwh }: YearCost) => missing_prices_kwh <= MOST_MISSING_KWH;
  if (!isKnown(paid)) return null;
  const [best] = others
    .filter(({ cost }) => isKnown(cost) && cost.currency === paid.currency)
    .toSorted((a, b) => Number(a.cost.total) - Number(b.cost.total));
  if (!best) return null;
  const saved = Number(paid.total) - Number(best.cost.total);
  // Of a home that earns more than it pays, too.
  if (saved <= 0 || saved < LEAST_SHARE * Math.abs(Number(paid.total))) return null;
  return {
    kind: 'cheaper_tariff',
    start,
    end,
    tariffId: best.tariffId,
    name: best.name,
    currency: paid.currency,
    paid: paid.total,
    wouldHavePaid: best.cost.total,
  };
}
