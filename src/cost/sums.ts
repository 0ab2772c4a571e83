import { DateTime } from 'luxon';
import { addFractions, type Fraction } from '#src/core/decimal.ts';
import { createUnprocessableError } from '#src/core/errors.ts';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { createDayRange, type DayRange, splitQuarterHours } from '#src/energy/ranges.ts';
import { createWallClock, type LocalDay, type LocalQuarterHour } from '#src/energy/wall-clock.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import type { BoughtEnergy, BoughtEnergySource } from './bought-energy.ts';
import { canQuarterHourBePeak, computeCapacityCost } from './capacity.ts';
import { type Cost, type CostSums, createCostAccumulator, createCostSums, roundCost } from './cost.ts';
import { findTariffOfDay, type SeriesPriceLookup } from './prices.ts';

export interface CostSources<Energy extends number | bigint = number | bigint> {
  tariffs: readonly Tariff[];
  /** Time zone of the user, by which the days and months of the tariffs begin. */
  zone: string;
  meter: BoughtEnergySource<Energy>;
  /** Returns a lookup of prices in `[from, to)`. */
  pricesIn(stretch: { from: Date; to: Date }): Promise<SeriesPriceLookup>;
  /** Whether standing and capacity charges apply. They apply to a home, not to a single device. */
  isHome: boolean;
}

/** Returns the key of the row that contains a quarter-hour. `clock`: its local time. */
export type BucketKeyFunction = (quarterMs: number, clock: LocalQuarterHour) => string;

/**
 * Returns the exact sums of costs up to now by row. `hasMonths`: whether a row may contain whole months, to which capacity charges apply.
 * Error 422 if tariffs of two currencies are valid in the range.
 */
export async function computeCostSums(
  sources: CostSources,
  { range, now }: { range: DayRange; now: Date },
  keyOf: BucketKeyFunction,
  hasMonths: boolean,
): Promise<Map<string, CostSums>> {
  const { tariffs, zone, meter, isHome } = sources;
  const sums = new Map<string, CostSums>();
  const [first] = tariffs;
  if (!first) return sums;
  assertSingleCurrency(tariffs, range, zone);
  const beginMs = Math.min(meter.beginsAtMs ?? Number.POSITIVE_INFINITY, startOfDay(first.validFrom, zone).getTime());
  const fromMs = Math.max(quarterOf(beginMs), roundUpToQuarterHour(range.from));
  const { toMs } = getCostedTimeRange(range, now);
  for await (const chunk of splitQuarterHours(fromMs, toMs)) await addChunk(chunk);
  if (hasMonths && isHome && tariffs.some(({ capacity }) => capacity !== null))
    await addCapacities(sums, { meter, tariffs, zone, range, now, keyOf });
  return sums;

  function sumsOf(key: string): CostSums {
    const into = sums.get(key) ?? createCostSums(meter.unitsPerMilliwattHour);
    sums.set(key, into);
    return into;
  }

  /** A tariff may be decades older than the meter, so whole days without energy are added at once. */
  async function addChunk(chunk: { from: Date; to: Date }): Promise<void> {
    const [chunkMs, endMs] = [chunk.from.getTime(), chunk.to.getTime()];
    const [bought, prices] = await Promise.all([meter.boughtIn(chunk), sources.pricesIn(chunk)]);
    const clockOf = createWallClock(chunkMs, endMs, zone);
    const bucketClockOf = range.zone === zone ? null : createWallClock(chunkMs, endMs, range.zone);
    const quarterAt = (ms: number) => {
      const clock = clockOf(ms);
      return { clock, key: keyOf(ms, bucketClockOf === null ? clock : bucketClockOf(ms)) };
    };
    const costing = createCostAccumulator(tariffs, prices, isHome);
    for (let ms = chunkMs; ms < endMs; ) {
      const { clock, key } = quarterAt(ms);
      const at = (ms - chunkMs) / QUARTER_HOUR_MS;
      const lastMs = ms + (QUARTER_HOURS_PER_DAY - 1) * QUARTER_HOUR_MS;
      const isWhole = lastMs < endMs && beginsOrdinaryDay(clock) && isNothing(bought, at, at + QUARTER_HOURS_PER_DAY);
      const isOneRow = isWhole && isEndOf(clock.day, quarterAt(lastMs), key);
      const quarters = isOneRow ? QUARTER_HOURS_PER_DAY : 1;
      const energy = {
        imported: bought.imported[at] as number | bigint,
        estimated: bought.estimated[at] as number | bigint,
        exported: bought.exported[at] as number | bigint,
      };
      costing.add(sumsOf(key), ms, clock, energy, quarters);
      ms += quarters * QUARTER_HOUR_MS;
    }
    costing.finish();
  }
}

/** Returns the total cost of a range. Null if no tariff was valid. Error 422 if tariffs of two currencies are valid. */
export async function computeTotalCost(
  sources: CostSources,
  asked: { range: DayRange; now: Date },
): Promise<Cost | null> {
  const [all] = (await computeCostSums(sources, asked, () => '', true)).values();
  return all ? roundCost(all) : null;
}

export const getCostedTimeRange = (range: DayRange, now: Date): { fromMs: number; toMs: number } => ({
  fromMs: roundUpToQuarterHour(range.from),
  toMs: Math.min(roundUpToQuarterHour(range.to), quarterOf(now.getTime()) + QUARTER_HOUR_MS),
});

const QUARTER_HOURS_PER_DAY = 96;

/** Whether a quarter-hour is the first of a day of 24 hours. */
const beginsOrdinaryDay = ({ minute, day }: LocalQuarterHour): boolean =>
  minute === 0 && day.quarters === QUARTER_HOURS_PER_DAY;

/** Whether the row `key` contains the whole day of `last`: `last` is the last quarter-hour of its day, and the row contains the first, too. */
const isEndOf = (day: LocalDay, last: { clock: LocalQuarterHour; key: string }, key: string): boolean =>
  last.clock.day === day && last.clock.minute === 1_440 - 15 && last.key === key;

function isNothing({ imported, exported }: BoughtEnergy<number | bigint>, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (imported[at] || exported[at]) return false;
  return true;
}

const quarterOf = (ms: number): number => Math.floor(ms / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
export const roundUpToQuarterHour = (time: Date): number =>
  Math.ceil(time.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
const startOfDay = (date: string, zone: string): Date => createDayRange(date, date, zone).from;

/**
 * Returns the currency of the tariffs in the range; null if there are none. Throws a 422 error about a field of the request if there are
 * two currencies, because their amounts cannot be added.
 */
export function assertSingleCurrency(
  tariffs: readonly Tariff[],
  { from, to }: DayRange,
  zone: string,
  field = 'include',
): string | null {
  const dateOf = (ms: number) => DateTime.fromMillis(ms, { zone }).toISODate() ?? '';
  const [start, end] = [dateOf(from.getTime()), dateOf(to.getTime() - 1)];
  const held = tariffs.filter(({ validFrom }, index) => {
    const next = tariffs[index + 1]?.validFrom;
    return validFrom <= end && (next === undefined || next > start);
  });
  const other = held.find(({ currency }) => currency !== held[0]?.currency);
  if (!other) return held[0]?.currency ?? null;
  const message = `the range has costs in ${held[0]?.currency} and, from ${other.validFrom} on, in ${other.currency}: request each currency separately`;
  throw createUnprocessableError({ field, message });
}

interface AskedMonths {
  meter: BoughtEnergySource<number | bigint>;
  tariffs: readonly Tariff[];
  zone: string;
  range: DayRange;
  now: Date;
  keyOf: BucketKeyFunction;
}

/** Adds the capacity charge of each whole calendar month to the row that contains the month. */
async function addCapacities(sums: Map<string, CostSums>, asked: AskedMonths): Promise<void> {
  const { meter, tariffs, zone, range, now, keyOf } = asked;
  const peakOf = peaksOf(meter, zone, now);
  const bucketOf = (ms: number) => {
    const quarterMs = roundUpToQuarterHour(new Date(ms));
    return keyOf(quarterMs, createWallClock(quarterMs, quarterMs + QUARTER_HOUR_MS, range.zone)(quarterMs));
  };
  const endMs = Math.min(range.to.getTime(), now.getTime() + 1);
  for (let month = getStartOfMonth(range.from, zone); ; month = month.plus({ months: 1 })) {
    const { from, to } = getMonthRange(month, zone);
    if (from.getTime() >= endMs) return;
    const isOver = to <= now;
    const lastMs = isOver ? to.getTime() : now.getTime() + 1;
    if (from < range.from || lastMs > range.to.getTime()) continue;
    const key = bucketOf(from.getTime());
    if (bucketOf(lastMs - 1 - ((lastMs - 1) % QUARTER_HOUR_MS)) !== key) continue;
    const into = sums.get(key);
    const charge = findTariffOfDay(tariffs, month.endOf('month').toISODate() ?? '')?.capacity;
    if (!into || !charge) continue;
    const cost = computeCapacityCost(
      charge,
      await lastPeaks(month, charge.monthsAveraged),
      meter.unitsPerMilliwattHour,
    );
    if (cost) into.capacity = added(into.capacity, cost);
  }

  /** Returns the peaks of the last `count` months with a peak, up to and including `month`. */
  async function lastPeaks(month: DateTime, count: number): Promise<(number | bigint)[]> {
    const peaks: (number | bigint)[] = [];
    for (let one = month; peaks.length < count; one = one.minus({ months: 1 })) {
      if (meter.beginsAtMs === null || getMonthRange(one, zone).to.getTime() <= meter.beginsAtMs) break;
      const peak = await peakOf(one);
      if (peak !== null) peaks.push(peak);
    }
    return peaks;
  }
}

const added = (sum: Fraction | null, more: Fraction): Fraction => (sum ? addFractions(sum, more) : more);
export const getStartOfMonth = (time: Date, zone: string): DateTime =>
  DateTime.fromJSDate(time, { zone }).startOf('month');
export const getMonthRange = (month: DateTime, zone: string): DayRange =>
  createDayRange(month.toFormat('yyyy-MM-01'), month.endOf('month').toISODate() ?? '', zone);

/** Returns a function that finds the highest measured quarter-hour of a month. Null if there is none. Each month is searched once. */
function peaksOf(
  meter: BoughtEnergySource<number | bigint>,
  zone: string,
  now: Date,
): (month: DateTime) => Promise<number | bigint | null> {
  const known = new Map<string, Promise<number | bigint | null>>();
  const find = async (month: DateTime): Promise<number | bigint | null> => {
    const { from, to } = getMonthRange(month, zone);
    const span = {
      from: new Date(roundUpToQuarterHour(from)),
      to: new Date(Math.min(roundUpToQuarterHour(to), roundUpToQuarterHour(now))),
    };
    return span.from >= span.to ? null : findPeakEnergy(await meter.boughtIn(span));
  };
  return (month) => {
    const name = month.toFormat('yyyy-MM');
    const found = known.get(name) ?? find(month);
    known.set(name, found);
    return found;
  };
}

/** Returns the energy of the highest quarter-hour that can be a month's peak. Null if there is none. */
export function findPeakEnergy({
  imported,
  estimated,
  coveredMs,
}: BoughtEnergy<number | bigint>): number | bigint | null {
  let peak: number | bigint | null = null;
  for (let at = 0; at < imported.length; at++) {
    const energy = imported[at] as number | bigint;
    const quarter = {
      imported: energy,
      estimated: estimated[at] as number | bigint,
      coveredMs: coveredMs[at] as number,
    };
    if (canQuarterHourBePeak(quarter) && (peak === null || energy > peak)) peak = energy;
  }
  return peak;
}
