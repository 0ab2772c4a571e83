import { addFractions, type Fraction, formatRounded, negateFraction, ZERO_FRACTION } from '#src/core/decimal.ts';
import type { LocalDay, LocalQuarterHour } from '#src/energy/wall-clock.ts';
import { getCurrencyDecimals } from '#src/tariffs/currency.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import { findEnergyPrice, findTariffOfDay, type PriceIn18Decimals, type SeriesPriceLookup } from './prices.ts';

/** Cost in the API's format. Each amount is rounded once from its exact sum. */
export interface Cost {
  /** ISO 4217. */
  currency: string;
  total: string;
  import: string;
  export: string;
  standing: string;
  capacity?: string;
  /** The part of `import` that is due to estimated energy. */
  estimated: string;
  /** Energy in kWh without a known price. No amount of the cost includes this energy. */
  missing_prices_kwh: number;
}

/** Energy of a quarter-hour. Numbers are whole mWh; bigints are in a smaller unit. */
interface EnergyToPrice {
  imported: number | bigint;
  /** The estimated part of the imported energy. */
  estimated: number | bigint;
  exported: number | bigint;
}

/** An energy in mWh, multiplied by a price in 10^-18 of the currency per kWh and divided by this number, is an amount in the currency. */
export const CURRENCY_UNIT_DIVISOR = 10n ** 24n;
const MILLIWATT_HOURS_PER_KWH = 1_000_000n;
const BILLION = 1_000_000_000n;

export interface CostSums {
  currency: string | null;
  /** Number of energy units in one mWh. All energies in these sums use this unit. */
  unitsPerMilliwattHour: bigint;
  imported: bigint;
  estimated: bigint;
  exported: bigint;
  /** Energy without a known price. */
  missing: bigint;
  /**
   * Standing charges, by the number of quarter-hours in a local day (96, or another number if the clocks change). Each is the daily charge
   * (billionths of the currency) times the number of charged quarter-hours of such days.
   */
  standing: Map<number, bigint>;
  capacity: Fraction | null;
}

export const createCostSums = (unitsPerMilliwattHour = 1n): CostSums => ({
  currency: null,
  unitsPerMilliwattHour,
  imported: 0n,
  estimated: 0n,
  exported: 0n,
  missing: 0n,
  standing: new Map(),
  capacity: null,
});

/** Consecutive quarter-hours with the same prices. Their energies are added up before they are multiplied by the price. */
interface Run extends EnergyToPrice {
  into: CostSums;
  day: LocalDay;
  tariff: Tariff | null;
  importPrice: PriceIn18Decimals | null;
  exportPrice: PriceIn18Decimals | null | undefined;
  quarters: number;
}

/** Numbers have a separate branch, because adding them is several times as fast as adding bigints. */
const plus = <Energy extends number | bigint>(a: Energy, b: Energy): Energy =>
  ((a as number) + (b as number)) as Energy;

/**
 * Creates an object that adds up the costs of quarter-hours in order of time. `tariffs`: in order of `validFrom`. `hasStanding`: includes
 * standing charges.
 */
export function createCostAccumulator(
  tariffs: readonly Tariff[],
  seriesPrice: SeriesPriceLookup,
  hasStanding: boolean,
) {
  let run: Run | null = null;
  let lastDay: LocalDay | null = null;
  let tariff: Tariff | null = null;

  function finish(): void {
    if (run === null) return;
    const { into, day, importPrice, exportPrice, quarters, imported, estimated, exported } = run;
    if (run.tariff === null) into.missing += BigInt(imported) + BigInt(exported);
    else {
      into.currency = run.tariff.currency;
      if (importPrice === null) into.missing += BigInt(imported);
      else {
        into.imported += BigInt(imported) * importPrice;
        into.estimated += BigInt(estimated) * importPrice;
      }
      if (exportPrice === null) into.missing += BigInt(exported);
      else if (exportPrice !== undefined) into.exported += BigInt(exported) * exportPrice;
      const { standingPerDay } = run.tariff;
      if (hasStanding && standingPerDay !== null)
        into.standing.set(day.quarters, (into.standing.get(day.quarters) ?? 0n) + standingPerDay * BigInt(quarters));
    }
    run = null;
  }

  return {
    /** Adds the cost of a quarter-hour to `into`. `quarters`: number of quarter-hours without energy that are added at once. */
    add(into: CostSums, quarterMs: number, clock: LocalQuarterHour, energy: EnergyToPrice, quarters = 1): void {
      const { imported, estimated, exported } = energy;
      const { day } = clock;
      if (day !== lastDay) [lastDay, tariff] = [day, findTariffOfDay(tariffs, day.date)];
      const importPrice = tariff && findEnergyPrice(tariff.import, quarterMs, clock, seriesPrice);
      const exportPrice = tariff?.export ? findEnergyPrice(tariff.export, quarterMs, clock, seriesPrice) : undefined;
      if (
        run === null ||
        run.into !== into ||
        run.day !== day ||
        run.importPrice !== importPrice ||
        run.exportPrice !== exportPrice
      ) {
        finish();
        run = { into, day, tariff, importPrice, exportPrice, quarters, imported, estimated, exported };
        return;
      }
      run.quarters += quarters;
      run.imported = plus(run.imported, imported);
      run.estimated = plus(run.estimated, estimated);
      run.exported = plus(run.exported, exported);
    },
    /** Must be called after the last `add`. */
    finish,
  };
}

/** Rounds the sums to the API's format. Null if no tariff was valid. `moreDecimals`: decimals beyond those of the currency. */
export function roundCost(sums: CostSums, moreDecimals = 0): Cost | null {
  const { currency, capacity, unitsPerMilliwattHour: units } = sums;
  if (currency === null) return null;
  const decimals = getCurrencyDecimals(currency) + moreDecimals;
  const ofEnergy = (numerator: bigint): Fraction => ({ numerator, denominator: CURRENCY_UNIT_DIVISOR * units });
  const imported = ofEnergy(sums.imported);
  const exported = ofEnergy(sums.exported);
  const standing = addFractions(
    ...[...sums.standing].map(([quarters, billionths]) => ({
      numerator: billionths,
      denominator: BigInt(quarters) * BILLION,
    })),
  );
  return {
    currency,
    total: formatRounded(
      addFractions(imported, negateFraction(exported), standing, capacity ?? ZERO_FRACTION),
      decimals,
    ),
    import: formatRounded(imported, decimals),
    export: formatRounded(exported, decimals),
    standing: formatRounded(standing, decimals),
    ...(capacity && { capacity: formatRounded(capacity, decimals) }),
    estimated: formatRounded(ofEnergy(sums.estimated), decimals),
    missing_prices_kwh: roundKwh(sums.missing, units),
  };
}

/** Converts energy to kWh with at most 3 decimals, halves away from zero. */
export const roundKwh = (energy: bigint, unitsPerMilliwattHour: bigint): number =>
  Number(formatRounded({ numerator: energy, denominator: unitsPerMilliwattHour * MILLIWATT_HOURS_PER_KWH }, 3));
