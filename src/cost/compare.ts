import { formatRounded } from '#src/core/decimal.ts';
import { createUnprocessableError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { createDayRange, type DayRange } from '#src/energy/ranges.ts';
import { loadAllTariffs } from '#src/tariffs/store.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import type { Calculator } from './calculator.ts';
import type { Cost } from './cost.ts';
import { createCostSourcesFromInputs } from './cost-inputs.ts';
import { loadCostInputs } from './costs.ts';
import { assertSingleCurrency, computeTotalCost } from './sums.ts';

/** Actual cost of a range, and what it would have cost under the user's other tariffs. */
interface TariffComparison {
  paid: Cost;
  others: { tariffId: string; name: string; cost: Cost }[];
}

/** Maximum number of other tariffs, because each is applied to a year of quarter-hours. */
const MAX_OTHERS = 5;

/**
 * Returns the actual cost of whole days, and what they would have cost under each of the user's other tariffs, newest first. Null unless
 * tariffs of one currency covered all days.
 */
export async function compareTariffsOfUser(
  db: Database,
  userId: string,
  { start, end, zone, now }: { start: string; end: string; zone: string; now: Date },
): Promise<TariffComparison | null> {
  const tariffs = await loadAllTariffs(db, userId);
  const held = tariffs.filter(({ validFrom }) => validFrom <= end);
  const current = held.at(-1);
  if (!current || tariffs.length < 2 || (held[0] as Tariff).validFrom > start) return null;
  if (held.some(({ currency }) => currency !== current.currency)) return null;
  const range = createDayRange(start, end, zone);
  const sources = await loadCostInputs(db, userId, tariffs, { range, now });
  if (sources.beginsAtMs === null || sources.beginsAtMs > range.from.getTime()) return null;
  const costBy = (some: readonly Tariff[]) =>
    computeTotalCost(createCostSourcesFromInputs(sources, some), { range, now });
  const paid = await costBy(tariffs);
  if (!paid) return null;
  const candidates = tariffs.filter((one) => one !== current && one.currency === current.currency);
  const others: TariffComparison['others'] = [];
  for (const tariff of candidates.toReversed().slice(0, MAX_OTHERS)) {
    const cost = await costBy([{ ...tariff, validFrom: start }]);
    if (cost) others.push({ tariffId: tariff.tariffId, name: tariff.name, cost });
  }
  return { paid, others };
}

/** Costs of a range under the user's own tariffs (null: none was valid), and under each offer. */
interface OfferComparison {
  currency: string;
  current: Cost | null;
  /** `difference`: the offer's total minus the current cost; null if there is none. */
  alternatives: { name: string; cost: Cost; difference: string | null }[];
}

/** Computes the costs of a range under each offer. Error 422 if the tariffs or offers have different currencies. */
export async function compareOffers(
  db: Database,
  calculator: Calculator,
  asked: { userId: string; zone: string; range: DayRange; now: Date; offers: readonly Tariff[] },
  signal: AbortSignal,
): Promise<OfferComparison> {
  const { userId, zone, range, now, offers } = asked;
  const own = await loadAllTariffs(db, userId);
  const current = assertSingleCurrency(own, range, zone, 'start');
  const currency = current ?? (offers[0] as Tariff).currency;
  const wrong = offers.flatMap((offer, index) => {
    const message = `must be ${currency}, the currency of ${current ? 'the user’s tariffs in the range' : 'the first tariff'}`;
    return offer.currency === currency ? [] : [{ field: `tariffs.${index}.currency`, message }];
  });
  if (wrong.length > 0) throw createUnprocessableError(...wrong);
  const always = offers.map((tariff) => ({ ...tariff, validFrom: range.start }));
  const held = await loadCostInputs(db, userId, [...own, ...always], { range, now }, signal);
  const tariffs = [own, ...always.map((one) => [one])];
  const [paid = null, ...costs] = await calculator.compare({ held, range, now, tariffs }, signal);
  const alternatives = costs.map((cost, index) => {
    // Cannot happen, because the offer is valid for the whole range.
    if (!cost) throw new Error('a range that has begun has no cost');
    const { name } = offers[index] as Tariff;
    return { name, cost, difference: paid && subtractAmounts(cost.total, paid.total) };
  });
  return { currency, current: paid, alternatives };
}

function subtractAmounts(from: string, amount: string): string {
  const decimals = from.split('.')[1]?.length ?? 0;
  const units = (text: string) => BigInt(text.replace('.', ''));
  return formatRounded({ numerator: units(from) - units(amount), denominator: 10n ** BigInt(decimals) }, decimals);
}
