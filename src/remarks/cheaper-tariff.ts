/** A tariff with which the last twelve months would have cost less. Amounts are exact decimals as text. */
export interface CheaperTariff {
  kind: 'cheaper_tariff';
  /** First and last day of the compared time in the user's zone, YYYY-MM-DD. */
  start: string;
  end: string;
  tariffId: string;
  name: string;
  currency: string;
  paid: string;
  wouldHavePaid: string;
}

/** Cost of a year with the actual tariff or with another one. */
interface YearCost {
  currency: string;
  total: string;
  missing_prices_kwh: number;
}

/** Minimum saving, as a share of the cost. Smaller savings vary from year to year. */
const MIN_SHARE = 0.05;
/** Maximum energy without a price, in kWh, because a tariff would otherwise seem too cheap. */
const MAX_MISSING_KWH = 10;

/** Returns the cheapest of the tariffs. Null if it would not have saved enough, or if too many prices are unknown. */
export function findCheaperTariff(
  paid: YearCost,
  others: readonly { tariffId: string; name: string; cost: YearCost }[],
  { start, end }: { start: string; end: string },
): CheaperTariff | null {
  const isKnown = ({ missing_prices_kwh }: YearCost) => missing_prices_kwh <= MAX_MISSING_KWH;
  if (!isKnown(paid)) return null;
  const [best] = others
    .filter(({ cost }) => isKnown(cost) && cost.currency === paid.currency)
    .toSorted((a, b) => Number(a.cost.total) - Number(b.cost.total));
  if (!best) return null;
  const saved = Number(paid.total) - Number(best.cost.total);
  // The cost is negative for a home that earns more than it pays.
  if (saved <= 0 || saved < MIN_SHARE * Math.abs(Number(paid.total))) return null;
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
