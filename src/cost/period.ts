import { DateTime } from 'luxon';
import { QUARTER_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { energiesOf } from '#src/energy/device-energies.ts';
import { type PeriodUnit, periodOf } from '#src/energy/period/days.ts';
import { spansOf } from '#src/energy/period/period.ts';
import { dayRange, type Range } from '#src/energy/ranges.ts';
import { type Buyer, type Meter, meterOf } from './bought.ts';
import { type Cost, costOf } from './cost.ts';
import { bucketsOf, sourcesOf, totalOf } from './costs.ts';
import { isOfTwoCurrencies } from './running.ts';
import { type CostSources, costSums } from './sums.ts';

/** What Home says of money of a period, beside `energy/period/period.ts`. */
export interface PeriodCosts {
  has_tariff: boolean;
  used: Cost | null;
  /** Of what is compared; without a price of the highest quarter-hour, which is paid for whole months. */
  compared: { now: Cost | null; before: Cost | null; last_year: Cost | null };
  /** Days (YYYY-MM-DD) of a week or month, months (YYYY-MM) of a year. */
  buckets: { at: string; cost: Cost }[];
  /** Of the devices that used most. */
  devices: { device_id: string; cost: Cost | null }[];
  /** What a load of 1 kW costs that goes on for a year. */
  kilowatt_year: { currency: string; amount: number } | null;
}

/** Devices whose own costs are reckoned. */
const MOST_DEVICES = 12;

/** What a period costs; tariffs, zone and home are loaded once for all of it. Where tariffs of two currencies held, nothing is told. */
export async function costsOfPeriod(
  db: Database,
  buyer: Buyer,
  asked: { unit: PeriodUnit; date: string; zone: string; now: Date; newest: Date | null },
): Promise<PeriodCosts> {
  const { unit, date, zone, now } = asked;
  const sources = await sourcesOf(db, buyer);
  const nothing = { used: null, compared: { now: null, before: null, last_year: null }, buckets: [], devices: [] };
  if (sources.tariffs.length === 0) return { has_tariff: false, ...nothing, kilowatt_year: null };
  const days = periodOf(unit, date);
  const range = dayRange(days.start, days.end, zone);
  const [ofNow, ofBefore, ofLastYear] = spansOf(unit, days, asked) ?? [];
  const cut = (span: { range: Range } | null | undefined) => (span ? cutCost(sources, span.range, now) : null);
  const [used, nowCost, before, lastYear, buckets, devices, kilowattYear] = await Promise.all([
    orNull(totalOf(sources, { range, now })),
    cut(ofNow),
    cut(ofBefore),
    cut(ofLastYear),
    unit === 'day' ? [] : orNull(bucketsOf(sources, { range, now }, unit === 'year' ? 'month' : 'day')),
    buyer.deviceId === undefined ? devicesIn(db, sources, buyer.userId, range, now) : [],
    kilowattYearAt(sources, range, now),
  ]);
  return {
    has_tariff: true,
    used,
    compared: { now: nowCost, before, last_year: lastYear },
    buckets: (buckets ?? []).map(({ labels, cost }) => ({
      at: unit === 'year' ? labels.date.slice(0, 7) : labels.date,
      cost,
    })),
    devices,
    kilowatt_year: kilowattYear,
  };
}

/** Of a stretch that ends where a quarter-hour begins. */
async function cutCost(sources: CostSources, range: Range, now: Date): Promise<Cost | null> {
  const last = new Date(Math.min(now.getTime(), range.to.getTime() - 1));
  const [sums] = (await orNull(costSums(sources, { range, now: last }, () => '', false)))?.values() ?? [];
  return sums ? costOf(sums) : null;
}

/** What the devices that used most cost, each by what it imported (docs/cost.md, whose energy). */
async function devicesIn(db: Database, sources: CostSources, userId: string, range: Range, now: Date) {
  const devices = await db
    .selectFrom('devices')
    .select('device_id')
    .where('user_id', '=', userId)
    .where('placement', '=', 'consumption')
    .where((where) => where.or([where('deleted_at', 'is', null), where('deleted_at', '>', range.from)]))
    .execute();
  const ids = devices.map(({ device_id }) => device_id);
  const energies = ids.length === 0 ? new Map() : await energiesOf(db, ids, range);
  const most = ids
    .filter((id) => (energies.get(id)?.importMs ?? 0) > 0)
    .toSorted((a, b) => Number(energies.get(b)?.imported) - Number(energies.get(a)?.imported))
    .slice(0, MOST_DEVICES);
  const costs: { device_id: string; cost: Cost | null }[] = [];
  for (const deviceId of most) {
    const meter = await meterOf(db, { userId, deviceId });
    const cost = await orNull(totalOf({ ...sources, meter, isHome: false }, { range, now }));
    costs.push({ device_id: deviceId, cost });
  }
  return costs;
}

/** mWh of a quarter-hour of 1 kW. */
const KILOWATT_QUARTER = 250_000;
const HOURS_OF_YEAR = 8_766;

/**
 * What a load that never ends costs in a year, by the prices of the 365 days up to the end of a period, or to now; by those that are known,
 * where some are not. Null where none is, or where the currency changed.
 */
async function kilowattYearAt(
  sources: CostSources,
  { end, zone }: Range,
  now: Date,
): Promise<PeriodCosts['kilowatt_year']> {
  const today = DateTime.fromJSDate(now, { zone }).toISODate() ?? '';
  const last = end < today ? end : today;
  const first = DateTime.fromISO(last, { zone: 'utc' }).minus({ days: 364 }).toISODate() ?? '';
  const range = dayRange(first, last, zone);
  const steady: CostSources = { ...sources, meter: steadyMeter(range), isHome: false };
  const [sums] = (await orNull(costSums(steady, { range, now }, () => '', false)))?.values() ?? [];
  const cost = sums && costOf(sums, DECIMALS);
  if (!sums || !cost) return null;
  const toMs = Math.min(range.to.getTime(), now.getTime());
  // A kWh in each hour: what has no price is in hours, too.
  const hours = (toMs - range.from.getTime()) / 3_600_000 - cost.missing_prices_kwh;
  return hours <= 0 ? null : { currency: cost.currency, amount: (Number(cost.import) * HOURS_OF_YEAR) / hours };
}

/** It is a mean: rounded at the end, by who shows it. */
const DECIMALS = 4;

/** A load of 1 kW that never ends. */
function steadyMeter({ from }: Range): Meter {
  return {
    beginsAtMs: from.getTime(),
    boughtIn: async (stretch) => {
      const count = (stretch.to.getTime() - stretch.from.getTime()) / QUARTER_MS;
      const nothing = new Float64Array(count);
      return {
        fromMs: stretch.from.getTime(),
        imported: new Float64Array(count).fill(KILOWATT_QUARTER),
        estimated: nothing,
        exported: nothing,
        coveredMs: new Float64Array(count).fill(QUARTER_MS),
      };
    },
  };
}

/** Null where tariffs of two currencies held: a picture has one scale. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isOfTwoCurrencies(error)) return null;
    throw error;
  }
}
