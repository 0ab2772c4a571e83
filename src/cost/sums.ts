import { setImmediate } from 'node:timers/promises';
import { DateTime } from 'luxon';
import { type Fraction, sumOf } from '#src/core/decimal.ts';
import { unprocessable } from '#src/core/errors.ts';
import { QUARTER_MS } from '#src/core/units.ts';
import { dayRange, type Range } from '#src/energy/ranges.ts';
import { type ClockDay, type ClockQuarter, wallClock } from '#src/energy/wall-clock.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import type { Bought, Meter } from './bought.ts';
import { capacityCost, isMeasured } from './capacity.ts';
import { type CostSums, createCosting, noCost } from './cost.ts';
import { type SeriesPrice, tariffOf } from './prices.ts';

/** What costs are made of. */
export interface CostSources {
  /** In order of `validFrom`. */
  tariffs: readonly Tariff[];
  /** The user's: by its clock prices hold, days have standing charges, and months peaks. */
  zone: string;
  meter: Meter;
  /** Prices of series in `[from, to)`. */
  pricesIn(stretch: { from: Date; to: Date }): Promise<SeriesPrice>;
  /** Whether standing charges and capacity are paid: by a home, and not by each of its devices. */
  isHome: boolean;
}

/** Quarter-hours that are read, and held, at a time: those of 96 days. */
const CHUNK_MS = 96 * 96 * QUARTER_MS;

/** Which bucket a quarter-hour belongs to, by its start and the clock of the range's zone. */
export type KeyOf = (quarterMs: number, clock: ClockQuarter) => string;

/**
 * The exact sums of buckets, in order and by their keys, of what has begun. `hasMonths`: a bucket may hold whole months, which a capacity tariff
 * is paid for. 422 where tariffs of two currencies hold in the range.
 */
export async function costSums(
  sources: CostSources,
  { range, now }: { range: Range; now: Date },
  keyOf: KeyOf,
  hasMonths: boolean,
): Promise<Map<string, CostSums>> {
  const { tariffs, zone, meter, isHome } = sources;
  const sums = new Map<string, CostSums>();
  const [first] = tariffs;
  if (!first) return sums;
  checkCurrency(tariffs, range, zone);
  const beginMs = Math.min(meter.beginsAtMs ?? Number.POSITIVE_INFINITY, startOfDay(first.validFrom, zone).getTime());
  const fromMs = Math.max(quarterOf(beginMs), firstQuarter(range.from));
  const toMs = Math.min(firstQuarter(range.to), quarterOf(now.getTime()) + QUARTER_MS);
  for (let ms = fromMs; ms < toMs; ms += CHUNK_MS) {
    if (ms > fromMs) await setImmediate();
    await addChunk(ms, Math.min(ms + CHUNK_MS, toMs));
  }
  if (hasMonths && isHome && tariffs.some(({ capacity }) => capacity !== null))
    await addCapacities(sums, { meter, tariffs, zone, range, now, keyOf });
  return sums;

  function sumsOf(key: string): CostSums {
    const into = sums.get(key) ?? noCost();
    sums.set(key, into);
    return into;
  }

  /** Whole days without energy, of which a tariff may have had decades before the meter, are added at once. */
  async function addChunk(chunkMs: number, endMs: number): Promise<void> {
    const chunk = { from: new Date(chunkMs), to: new Date(endMs) };
    const [bought, prices] = await Promise.all([meter.boughtIn(chunk), sources.pricesIn(chunk)]);
    const clockOf = wallClock(chunkMs, endMs, zone);
    const bucketClockOf = range.zone === zone ? null : wallClock(chunkMs, endMs, range.zone);
    const quarterAt = (ms: number) => {
      const clock = clockOf(ms);
      return { clock, key: keyOf(ms, bucketClockOf === null ? clock : bucketClockOf(ms)) };
    };
    const costing = createCosting(tariffs, prices, isHome);
    for (let ms = chunkMs; ms < endMs; ) {
      const { clock, key } = quarterAt(ms);
      const at = (ms - chunkMs) / QUARTER_MS;
      const lastMs = ms + (DAY_QUARTERS - 1) * QUARTER_MS;
      const isWhole = lastMs < endMs && beginsOrdinaryDay(clock) && isNothing(bought, at, at + DAY_QUARTERS);
      const isOneRow = isWhole && isEndOf(clock.day, quarterAt(lastMs), key);
      const quarters = isOneRow ? DAY_QUARTERS : 1;
      const energy = {
        imported: bought.imported[at] as number,
        estimated: bought.estimated[at] as number,
        exported: bought.exported[at] as number,
      };
      costing.add(sumsOf(key), ms, clock, energy, quarters);
      ms += quarters * QUARTER_MS;
    }
    costing.finish();
  }
}

const DAY_QUARTERS = 96;

/** Of a day in which the clock changes it is not known where it ends: it may be shown in two pieces. */
const beginsOrdinaryDay = ({ minute, day }: ClockQuarter): boolean => minute === 0 && day.quarters === DAY_QUARTERS;

/** Whether a quarter-hour is the last of a day, and belongs to the same row as its first. */
const isEndOf = (day: ClockDay, last: { clock: ClockQuarter; key: string }, key: string): boolean =>
  last.clock.day === day && last.clock.minute === 1_440 - 15 && last.key === key;

function isNothing({ imported, exported }: Bought, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (imported[at] !== 0 || exported[at] !== 0) return false;
  return true;
}

/** The quarter-hour (UTC) in which a time lies. */
const quarterOf = (ms: number): number => Math.floor(ms / QUARTER_MS) * QUARTER_MS;
/** The first quarter-hour (UTC) that begins at that time or later. */
const firstQuarter = (time: Date): number => Math.ceil(time.getTime() / QUARTER_MS) * QUARTER_MS;
const startOfDay = (date: string, zone: string): Date => dayRange(date, date, zone).from;

/** 422 where tariffs that hold in the range are in two currencies: amounts of both make no sum. */
export function checkCurrency(tariffs: readonly Tariff[], { from, to }: Range, zone: string): void {
  const dateOf = (ms: number) => DateTime.fromMillis(ms, { zone }).toISODate() ?? '';
  const [start, end] = [dateOf(from.getTime()), dateOf(to.getTime() - 1)];
  const held = tariffs.filter(({ validFrom }, index) => {
    const next = tariffs[index + 1]?.validFrom;
    return validFrom <= end && (next === undefined || next > start);
  });
  const other = held.find(({ currency }) => currency !== held[0]?.currency);
  if (!other) return;
  const message = `the range has costs in ${held[0]?.currency} and, from ${other.validFrom} on, in ${other.currency}: ask for each by itself`;
  throw unprocessable({ field: 'include', message });
}

interface AskedMonths {
  meter: Meter;
  tariffs: readonly Tariff[];
  zone: string;
  range: Range;
  now: Date;
  keyOf: KeyOf;
}

/** Adds to each bucket what the months of the user's zone cost that lie in it as a whole; of the month that is not over, so far. */
async function addCapacities(sums: Map<string, CostSums>, asked: AskedMonths): Promise<void> {
  const { meter, tariffs, zone, range, now, keyOf } = asked;
  const peakOf = peaksOf(meter, zone, now);
  const bucketOf = (ms: number) => {
    const quarterMs = firstQuarter(new Date(ms));
    return keyOf(quarterMs, wallClock(quarterMs, quarterMs + QUARTER_MS, range.zone)(quarterMs));
  };
  const endMs = Math.min(range.to.getTime(), now.getTime() + 1);
  for (let month = monthOf(range.from, zone); ; month = month.plus({ months: 1 })) {
    const { from, to } = spanOf(month, zone);
    if (from.getTime() >= endMs) return;
    const isOver = to <= now;
    const lastMs = isOver ? to.getTime() : now.getTime() + 1;
    if (from < range.from || lastMs > range.to.getTime()) continue;
    const key = bucketOf(from.getTime());
    if (bucketOf(lastMs - 1 - ((lastMs - 1) % QUARTER_MS)) !== key) continue;
    const into = sums.get(key);
    const charge = tariffOf(tariffs, month.endOf('month').toISODate() ?? '')?.capacity;
    if (!into || !charge) continue;
    const cost = capacityCost(charge, await lastPeaks(month, charge.monthsAveraged));
    if (cost) into.capacity = added(into.capacity, cost);
  }

  /** The peaks of the last so many months that have one, up to this one. */
  async function lastPeaks(month: DateTime, count: number): Promise<number[]> {
    const peaks: number[] = [];
    for (let one = month; peaks.length < count; one = one.minus({ months: 1 })) {
      if (meter.beginsAtMs === null || spanOf(one, zone).to.getTime() <= meter.beginsAtMs) break;
      const peak = await peakOf(one);
      if (peak !== null) peaks.push(peak);
    }
    return peaks;
  }
}

const added = (sum: Fraction | null, more: Fraction): Fraction => (sum ? sumOf(sum, more) : more);
const monthOf = (time: Date, zone: string): DateTime => DateTime.fromJSDate(time, { zone }).startOf('month');
const spanOf = (month: DateTime, zone: string): Range =>
  dayRange(month.toFormat('yyyy-MM-01'), month.endOf('month').toISODate() ?? '', zone);

/** The highest measured quarter-hour of months, mWh; null where there is none. Each is looked for once. */
function peaksOf(meter: Meter, zone: string, now: Date): (month: DateTime) => Promise<number | null> {
  const known = new Map<string, Promise<number | null>>();
  const find = async (month: DateTime): Promise<number | null> => {
    const { from, to } = spanOf(month, zone);
    const span = { from: new Date(firstQuarter(from)), to: new Date(Math.min(firstQuarter(to), firstQuarter(now))) };
    if (span.from >= span.to) return null;
    const { imported, estimated, coveredMs } = await meter.boughtIn(span);
    let peak: number | null = null;
    for (const [at, energy] of imported.entries()) {
      const quarter = { imported: energy, estimated: estimated[at] as number, coveredMs: coveredMs[at] as number };
      if (isMeasured(quarter) && (peak === null || energy > peak)) peak = energy;
    }
    return peak;
  };
  return (month) => {
    const name = month.toFormat('yyyy-MM');
    const found = known.get(name) ?? find(month);
    known.set(name, found);
    return found;
  };
}
