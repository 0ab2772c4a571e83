import { type Fraction, negative, roundedText, sumOf, ZERO } from '#src/core/decimal.ts';
import { asMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { ClockDay, ClockQuarter } from '#src/energy/wall-clock.ts';
import { decimalsOf } from '#src/tariffs/currency.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import { type ExactPrice, priceOf, type SeriesPrice, tariffOf } from './prices.ts';

/** What the energy of a row costs, as answers tell it: amounts with all decimals of the currency, each rounded once from its exact sum. */
export interface Cost {
  /** ISO 4217. */
  currency: string;
  /** import + standing + capacity − export */
  total: string;
  import: string;
  /** What the home earns. */
  export: string;
  standing: string;
  capacity?: string;
  /** Part of `import` for estimated energy. */
  estimated: string;
  /** kWh whose price is not known; they are in no amount. */
  missing_prices_kwh: number;
}

/** What costs in a quarter-hour, mWh. */
export interface CostedEnergy {
  imported: number;
  /** Part of it. */
  estimated: number;
  exported: number;
}

/** mWh × 10^-18 of the currency for a kWh. */
const ENERGY_UNIT = 10n ** 24n;
const BILLION = 1_000_000_000n;

/** Exact sums of what a row costs. */
export interface CostSums {
  /** Null: no tariff held in it. */
  currency: string | null;
  imported: bigint;
  estimated: bigint;
  exported: bigint;
  missingMilliwattHours: number;
  /** Standing charges in billionths, times quarter-hours, by the number of those that their days have. */
  standing: Map<number, bigint>;
  capacity: Fraction | null;
}

export const noCost = (): CostSums => ({
  currency: null,
  imported: 0n,
  estimated: 0n,
  exported: 0n,
  missingMilliwattHours: 0,
  standing: new Map(),
  capacity: null,
});

/** Quarter-hours that follow upon each other and cost alike: they are multiplied once. */
interface Run {
  into: CostSums;
  day: ClockDay;
  tariff: Tariff | null;
  importPrice: ExactPrice | null;
  /** Undefined: what is fed in earns nothing. */
  exportPrice: ExactPrice | null | undefined;
  quarters: number;
  imported: number;
  estimated: number;
  exported: number;
}

/** Adds up what quarter-hours cost, in order, by the user's tariffs (in order of `validFrom`). `hasStanding`: with their standing charges. */
export function createCosting(tariffs: readonly Tariff[], seriesPrice: SeriesPrice, hasStanding: boolean) {
  let run: Run | null = null;
  let lastDay: ClockDay | null = null;
  let tariff: Tariff | null = null;

  function finish(): void {
    if (run === null) return;
    const { into, day, importPrice, exportPrice, quarters, imported, estimated, exported } = run;
    if (run.tariff === null) into.missingMilliwattHours += imported + exported;
    else {
      into.currency = run.tariff.currency;
      if (importPrice === null) into.missingMilliwattHours += imported;
      else {
        into.imported += BigInt(imported) * importPrice;
        into.estimated += BigInt(estimated) * importPrice;
      }
      if (exportPrice === null) into.missingMilliwattHours += exported;
      else if (exportPrice !== undefined) into.exported += BigInt(exported) * exportPrice;
      const { standingPerDay } = run.tariff;
      if (hasStanding && standingPerDay !== null)
        into.standing.set(day.quarters, (into.standing.get(day.quarters) ?? 0n) + standingPerDay * BigInt(quarters));
    }
    run = null;
  }

  return {
    /**
     * A quarter-hour (UTC) by the user's wall clock, whose cost belongs into these sums; or so many of one day, in none of which is any energy.
     */
    add(into: CostSums, quarterMs: number, clock: ClockQuarter, energy: CostedEnergy, quarters = 1): void {
      const { imported, estimated, exported } = energy;
      const { day } = clock;
      if (day !== lastDay) [lastDay, tariff] = [day, tariffOf(tariffs, day.date)];
      const importPrice = tariff && priceOf(tariff.import, quarterMs, clock, seriesPrice);
      const exportPrice = tariff?.export ? priceOf(tariff.export, quarterMs, clock, seriesPrice) : undefined;
      const isSame =
        run !== null &&
        run.into === into &&
        run.day === day &&
        run.importPrice === importPrice &&
        run.exportPrice === exportPrice;
      if (!isSame) {
        finish();
        run = { into, day, tariff, importPrice, exportPrice, quarters: 0, imported: 0, estimated: 0, exported: 0 };
      }
      const current = run as unknown as Run;
      current.quarters += quarters;
      current.imported += imported;
      current.estimated += estimated;
      current.exported += exported;
    },
    /** Everything that was added is in its sums. */
    finish,
  };
}

/**
 * The sums as an answer tells them; null where no tariff held. `moreDecimals`: beyond those of the currency, as rows by hour have two
 * (docs/cost.md, rounding).
 */
export function costOf(sums: CostSums, moreDecimals = 0): Cost | null {
  const { currency, capacity } = sums;
  if (currency === null) return null;
  const decimals = decimalsOf(currency) + moreDecimals;
  const ofEnergy = (numerator: bigint): Fraction => ({ numerator, denominator: ENERGY_UNIT });
  const imported = ofEnergy(sums.imported);
  const exported = ofEnergy(sums.exported);
  const standing = sumOf(
    ...[...sums.standing].map(([quarters, billionths]) => ({
      numerator: billionths,
      denominator: BigInt(quarters) * BILLION,
    })),
  );
  return {
    currency,
    total: roundedText(sumOf(imported, negative(exported), standing, capacity ?? ZERO), decimals),
    import: roundedText(imported, decimals),
    export: roundedText(exported, decimals),
    standing: roundedText(standing, decimals),
    ...(capacity && { capacity: roundedText(capacity, decimals) }),
    estimated: roundedText(ofEnergy(sums.estimated), decimals),
    missing_prices_kwh: milliwattHoursToKwh(asMilliwattHours(sums.missingMilliwattHours)),
  };
}
