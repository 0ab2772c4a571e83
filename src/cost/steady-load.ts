import { DateTime } from 'luxon';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { readHomeQuarterHours } from '#src/energy/home/quarter-hours.ts';
import { createDayRange, type DayRange } from '#src/energy/ranges.ts';
import { createWallClock, type LocalQuarterHour } from '#src/energy/wall-clock.ts';
import { type BoughtEnergySource, createBoughtEnergySource } from './bought-energy.ts';
import { type Cost, roundCost } from './cost.ts';
import { returnNullIfMixedCurrencies } from './running.ts';
import { type CostSources, computeCostSums } from './sums.ts';

const KILOWATT_QUARTER_HOUR = 250_000;
const KWH_OF_QUARTER_HOUR = 0.25;
const HOURS_OF_YEAR = 8_766;

/** Cost of a load of 1 kW over a year of 8,766 hours. */
export interface YearlyCostPerKilowatt {
  currency: string;
  amount: number;
  /** Yearly cost if every hour cost as much as the hours from 0 to 5 o'clock. Null if unknown. */
  night_amount: number | null;
}

const NIGHT_ENDS_MINUTE = 5 * 60;
const isNight = ({ minute }: LocalQuarterHour): boolean => minute < NIGHT_ENDS_MINUTE;

/**
 * Returns the yearly cost of a load of 1 kW, extrapolated from the known prices of the last 365 days. Only the share that the home bought
 * costs money. Null if no price is known or the currency changed.
 */
export async function computeYearlyCostPerKilowatt(
  db: Database,
  sources: CostSources,
  { userId, range: { end, zone }, now }: { userId: string; range: DayRange; now: Date },
): Promise<YearlyCostPerKilowatt | null> {
  const today = DateTime.fromJSDate(now, { zone }).toISODate() ?? '';
  const last = end < today ? end : today;
  const first = DateTime.fromISO(last, { zone: 'utc' }).minus({ days: 364 }).toISODate() ?? '';
  const range = createDayRange(first, last, zone);
  const fromMs = Math.ceil(range.from.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const toMs = Math.min(
    Math.ceil(range.to.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS,
    (Math.floor(now.getTime() / QUARTER_HOUR_MS) + 1) * QUARTER_HOUR_MS,
  );
  if (toMs <= fromMs) return null;
  const shares = await sharesBought(db, userId, { from: new Date(fromMs), to: new Date(toMs) });
  const steady: CostSources = { ...sources, meter: steadyMeter(fromMs, shares), isHome: false };
  const sums = await returnNullIfMixedCurrencies(
    computeCostSums(steady, { range, now }, (_ms, clock) => (isNight(clock) ? 'night' : 'day'), false),
  );
  const clockOf = createWallClock(fromMs, toMs, zone);
  const parts = (['night', 'day'] as const).map((key) => {
    const of = sums?.get(key);
    return { cost: of ? roundCost(of, DECIMALS) : null, hours: 0, bought: 0 };
  }) as [Part, Part];
  for (const [at, share] of shares.entries()) {
    const part = parts[isNight(clockOf(fromMs + at * QUARTER_HOUR_MS)) ? 0 : 1];
    part.hours += KWH_OF_QUARTER_HOUR;
    part.bought += share * KWH_OF_QUARTER_HOUR;
  }
  const currency = parts[0].cost?.currency ?? parts[1].cost?.currency;
  const amount = yearOf(parts);
  return currency === undefined || amount === null ? null : { currency, amount, night_amount: yearOf([parts[0]]) };
}

/** Sums for a load of 1 kW: the hours, the bought kWh, and their cost (null if no tariff was valid). */
interface Part {
  cost: Cost | null;
  hours: number;
  bought: number;
}

/** Extrapolates a cost to a whole year. Null if no bought energy has a known price. */
function yearOf(parts: readonly Part[]): number | null {
  const held = parts.filter(({ cost }) => cost !== null);
  const sum = (of: (part: Part) => number) => held.reduce((all, part) => all + of(part), 0);
  const [hours, bought] = [sum((part) => part.hours), sum((part) => part.bought)];
  if (hours === 0) return null;
  if (bought === 0) return 0;
  const priced = bought - sum(({ cost }) => cost?.missing_prices_kwh ?? 0);
  // A difference below 1 Wh only results from rounding, because `missing_prices_kwh` is rounded to 1 Wh.
  if (priced < 0.001) return null;
  const perKwh = sum(({ cost }) => Number(cost?.import ?? 0)) / priced;
  return perKwh * (bought / hours) * HOURS_OF_YEAR;
}

/** Additional decimals of the costs that are extrapolated. */
const DECIMALS = 4;

/** Returns the share of a home's usage that was bought, 0 to 1, in each quarter-hour. */
async function sharesBought(db: Database, userId: string, range: { from: Date; to: Date }): Promise<Float64Array> {
  const count = Math.max(0, (range.to.getTime() - range.from.getTime()) / QUARTER_HOUR_MS);
  const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
  if (count === 0 || !(home.had.production || home.had.storage)) return new Float64Array(count).fill(1);
  const meter = await createBoughtEnergySource(db, { userId });
  const [{ used }, { imported }] = await Promise.all([readHomeQuarterHours(db, home, range), meter.boughtIn(range)]);
  return computeBoughtSharesOfUsage(imported, used);
}

/**
 * Returns the share of usage that was bought, by quarter-hour, from energies in mWh. If the usage of a quarter-hour is unknown, uses the
 * mean of the same time on other days, because solar production depends on the time of day.
 */
export function computeBoughtSharesOfUsage(imported: Float64Array, used: Float64Array): Float64Array {
  const shares = used.map((energy, at) => (energy > 0 ? Math.min(1, (imported[at] as number) / energy) : Number.NaN));
  const [sums, counts] = [new Float64Array(QUARTER_HOURS_OF_DAY), new Float64Array(QUARTER_HOURS_OF_DAY)];
  for (const [at, share] of shares.entries()) {
    if (Number.isNaN(share)) continue;
    const slot = at % QUARTER_HOURS_OF_DAY;
    sums[slot] = (sums[slot] as number) + share;
    counts[slot] = (counts[slot] as number) + 1;
  }
  const total = (list: Float64Array) => list.reduce((sum, value) => sum + value, 0);
  const mean = total(counts) === 0 ? 1 : total(sums) / total(counts);
  const means = sums.map((sum, slot) => (counts[slot] === 0 ? mean : sum / (counts[slot] as number)));
  return shares.map((share, at) => (Number.isNaN(share) ? (means[at % QUARTER_HOURS_OF_DAY] as number) : share));
}

const QUARTER_HOURS_OF_DAY = 96;

/** Creates a source with a constant load of 1 kW from `fromMs` on. `shares`: the bought share of the load, by quarter-hour. */
function steadyMeter(fromMs: number, shares: Float64Array): BoughtEnergySource {
  return {
    beginsAtMs: fromMs,
    boughtIn: async ({ from, to }) => {
      const [first, end] = [from, to].map((time) => (time.getTime() - fromMs) / QUARTER_HOUR_MS);
      const imported = shares.slice(first, end).map((share) => Math.round(share * KILOWATT_QUARTER_HOUR));
      const nothing = new Float64Array(imported.length);
      const coveredMs = new Float64Array(imported.length).fill(QUARTER_HOUR_MS);
      return { fromMs: from.getTime(), imported, estimated: nothing, exported: nothing, coveredMs };
    },
  };
}
