import type { Database } from '#src/database/connect.ts';
import { findPeriodDays, type PeriodUnit } from '#src/energy/period/days.ts';
import { findComparedDaySpans } from '#src/energy/period/period.ts';
import { createDayRange, type DayRange } from '#src/energy/ranges.ts';
import { readDeviceEnergies } from '#src/energy/usage/totals.ts';
import { createBoughtEnergySource, type HomeOrDevice } from './bought-energy.ts';
import { type Cost, roundCost } from './cost.ts';
import { loadCostSources } from './costs.ts';
import { returnNullIfMixedCurrencies } from './running.ts';
import { computeYearlyCostPerKilowatt, type YearlyCostPerKilowatt } from './steady-load.ts';
import { type CostSources, computeCostSums, computeTotalCost } from './sums.ts';

/** Costs of a day, week, month or year for the Home page. */
export interface PeriodCosts {
  has_tariff: boolean;
  used: Cost | null;
  /** Costs for a comparison with earlier periods. They exclude capacity charges, which apply only to whole months. */
  compared: { now: Cost | null; before: Cost | null; last_year: Cost | null };
  /** Costs of the devices that used most energy. */
  devices: { device_id: string; cost: Cost | null }[];
  /** Yearly cost of a constant load of 1 kW. Null if unknown. */
  kilowatt_year: YearlyCostPerKilowatt | null;
}

const MAX_DEVICES = 12;

/** Returns the costs for the Home page. They are null if tariffs of two currencies were valid. */
export async function loadPeriodCosts(
  db: Database,
  buyer: HomeOrDevice,
  asked: { unit: PeriodUnit; date: string; zone: string; now: Date; newest: Date | null },
): Promise<PeriodCosts> {
  const { unit, date, zone, now } = asked;
  const sources = await loadCostSources(db, buyer);
  const nothing = { used: null, compared: { now: null, before: null, last_year: null }, devices: [] };
  if (sources.tariffs.length === 0) return { has_tariff: false, ...nothing, kilowatt_year: null };
  const days = findPeriodDays(unit, date);
  const range = createDayRange(days.start, days.end, zone);
  const [ofNow, ofBefore, ofLastYear] = findComparedDaySpans(unit, days, asked) ?? [];
  const cut = (span: { range: DayRange } | null | undefined) => (span ? cutCost(sources, span.range, now) : null);
  const [used, nowCost, before, lastYear, devices, ofKilowatt] = await Promise.all([
    returnNullIfMixedCurrencies(computeTotalCost(sources, { range, now })),
    cut(ofNow),
    cut(ofBefore),
    cut(ofLastYear),
    buyer.deviceId === undefined ? devicesIn(db, sources, buyer.userId, range, now) : [],
    computeYearlyCostPerKilowatt(db, sources, { userId: buyer.userId, range, now }),
  ]);
  return {
    has_tariff: true,
    used,
    compared: { now: nowCost, before, last_year: lastYear },
    devices,
    kilowatt_year: ofKilowatt,
  };
}

/** Returns the cost of a range up to now. The end must be the start of a quarter-hour. */
async function cutCost(sources: CostSources, range: DayRange, now: Date): Promise<Cost | null> {
  const last = new Date(Math.min(now.getTime(), range.to.getTime() - 1));
  const [sums] =
    (await returnNullIfMixedCurrencies(computeCostSums(sources, { range, now: last }, () => '', false)))?.values() ??
    [];
  return sums ? roundCost(sums) : null;
}

/** Returns the costs of the devices that used most energy, computed from each device's own import. */
async function devicesIn(db: Database, sources: CostSources, userId: string, range: DayRange, now: Date) {
  const devices = await db
    .selectFrom('devices')
    .select('device_id')
    .where('user_id', '=', userId)
    .where('placement', '=', 'consumption')
    .where((where) => where.or([where('deleted_at', 'is', null), where('deleted_at', '>', range.from)]))
    .execute();
  const ids = devices.map(({ device_id }) => device_id);
  const energies = ids.length === 0 ? new Map() : await readDeviceEnergies(db, ids, range);
  const most = ids
    .filter((id) => (energies.get(id)?.importMs ?? 0) > 0)
    .toSorted((a, b) => Number(energies.get(b)?.imported) - Number(energies.get(a)?.imported))
    .slice(0, MAX_DEVICES);
  const costs: { device_id: string; cost: Cost | null }[] = [];
  for (const deviceId of most) {
    const meter = await createBoughtEnergySource(db, { userId, deviceId });
    const cost = await returnNullIfMixedCurrencies(
      computeTotalCost({ ...sources, meter, isHome: false }, { range, now }),
    );
    costs.push({ device_id: deviceId, cost });
  }
  return costs;
}
