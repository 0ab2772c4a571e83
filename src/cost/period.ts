import type { Database } from '#src/database/connect.ts';
import { type PeriodUnit, periodOf } from '#src/energy/period/days.ts';
import { spansOf } from '#src/energy/period/period.ts';
import { dayRange, type Range } from '#src/energy/ranges.ts';
import { energiesOf } from '#src/energy/usage/totals.ts';
import { type Buyer, meterOf } from './bought.ts';
import { type Cost, costOf } from './cost.ts';
import { bucketsOf, sourcesOf, totalOf } from './costs.ts';
import { orNull } from './running.ts';
import { type KilowattYear, kilowattYear } from './steady-load.ts';
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
  /** Cost of a load of 1 kW over a year, at what the home pays for a kWh that it uses. */
  kilowatt_year: KilowattYear | null;
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
  const [used, nowCost, before, lastYear, buckets, devices, ofKilowatt] = await Promise.all([
    orNull(totalOf(sources, { range, now })),
    cut(ofNow),
    cut(ofBefore),
    cut(ofLastYear),
    unit === 'day' ? [] : orNull(bucketsOf(sources, { range, now }, unit === 'year' ? 'month' : 'day')),
    buyer.deviceId === undefined ? devicesIn(db, sources, buyer.userId, range, now) : [],
    kilowattYear(db, sources, { userId: buyer.userId, range, now }),
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
    kilowatt_year: ofKilowatt,
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
