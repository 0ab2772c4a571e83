import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { loadCosts } from '#src/cost/costs.ts';
import { returnNullIfMixedCurrencies } from '#src/cost/running.ts';
import type { Database } from '#src/database/connect.ts';
import { COMMODITIES, type Commodity } from '#src/database/meter.ts';
import { getCurrentPower, readLatestChannelValues, sumPowers } from '#src/devices/live.ts';
import { findNewestReadingTimes } from '#src/devices/newest-readings.ts';
import { type CommodityInsight, loadCommodityInsights } from '#src/energy/commodity.ts';
import { loadDeviceInsights } from '#src/energy/device-include.ts';
import { loadHome } from '#src/energy/home/home.ts';
import type { HomeInsight } from '#src/energy/home/insights.ts';
import { loadUsageInsights } from '#src/energy/insights.ts';
import { loadCurrentPower } from '#src/energy/period/power-now.ts';
import { createDayRange, type DayRange, getFirstInstant } from '#src/energy/ranges.ts';
import { loadMonthForecast } from '#src/remarks/month-forecast.ts';
import type { DeviceReport, HomeReport } from './announce.ts';

export interface HomeReportAccount {
  userId: string;
  email: string;
  zone: string;
}

/** Maximum number of devices that are published for a home, in order of their ids. */
const MAX_DEVICES = 200;

const FLOWS = ['grid_import', 'grid_export', 'production', 'charged', 'discharged'] as const;
const EXPORT = new Set(['export'] as const);

/** Reads the values of a home's sensors at a time. Sums are added up from rows by day. `isOnly`: whether only this home is published. */
export async function readHomeReport(
  db: Database,
  owner: HomeReportAccount,
  { now, isOnly }: { now: Date; isOnly: boolean },
): Promise<HomeReport> {
  const { userId, zone } = owner;
  const { month, day, since } = findReportedPeriods(now, zone);
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: false });
  const days = await loadUsageInsights(db, userId, month, 'day', new Set(FLOWS));
  // In the first 65 minutes of a month, `month` is still the previous one, so its days do not include today.
  const today = day.start > month.end ? await loadUsageInsights(db, userId, day, 'day') : days;
  const costs = await costsIn(db, { userId, month, day, now });
  const has = { grid: home.had.grid, production: home.had.production, storage: home.had.storage };
  const flows = {
    ...(has.grid && { grid_import: sumOf(days, 'grid_import_kwh'), grid_export: sumOf(days, 'grid_export_kwh') }),
    ...(has.production && { production: sumOf(days, 'production_kwh') }),
    ...(has.storage && { charged: sumOf(days, 'charged_kwh'), discharged: sumOf(days, 'discharged_kwh') }),
  };
  const forecast = await loadMonthForecast(db, { userId, zone, now });
  const used = home.devices.length > 0 && {
    power: (await loadCurrentPower(db, home, now))?.watts ?? null,
    used: sumOf(days, 'kwh_used'),
    used_today: today.find(({ date }) => date === day.start)?.kwh_used ?? null,
    forecast: forecast && thousandths(forecast.expectedKwh),
  };
  return {
    userId,
    owner: isOnly ? null : owner.email,
    currency: costs.currency,
    since,
    values: {
      ...used,
      ...flows,
      ...(await commoditiesOf(db, userId, month)),
      ...(costs.currency !== null && {
        cost: costs.month,
        cost_today: costs.day,
        forecast_cost: forecast?.cost?.currency === costs.currency ? thousandths(forecast.cost.expected) : null,
      }),
    },
    devices: await devicesOf(db, userId, month, now),
  };
}

const thousandths = (value: number): number => Math.round(value * 1_000) / 1_000;

/** Returns the sum of one member over all rows, rounded to thousandths; null if no row has a number. */
function sumOf<Row extends object>(rows: readonly Row[], name: keyof Row): number | null {
  const known = rows.map((row) => row[name] as number | null | undefined).filter((value) => typeof value === 'number');
  return known.length === 0 ? null : known.reduce((sum, value) => sum + Math.round(value * 1_000), 0) / 1_000;
}

/** Returns the cost of the last day or month of a range. Null without a tariff, or with two currencies. */
async function costOf(
  db: Database,
  { userId, range, now }: { userId: string; range: DayRange; now: Date },
  groupBy: 'day' | 'month',
) {
  return (
    (await returnNullIfMixedCurrencies(loadCosts(db, { buyer: { userId }, range, now }, groupBy)))?.at(-1)?.cost ?? null
  );
}

/**
 * Returns the costs of the month and of the day, in the currency of the day. Null without a tariff. The month's cost is null if the month
 * has another currency.
 */
async function costsIn(
  db: Database,
  { userId, month, day, now }: { userId: string; month: DayRange; day: DayRange; now: Date },
) {
  const total = (range: DayRange, groupBy: 'day' | 'month') => costOf(db, { userId, range, now }, groupBy);
  const [ofDay, ofMonth] = [await total(day, 'day'), await total(month, 'month')];
  const currency = ofDay?.currency ?? null;
  return {
    currency,
    day: ofDay?.total ?? null,
    month: ofMonth?.currency === currency ? (ofMonth?.total ?? null) : null,
  };
}

/** Returns the month's consumption of gas, water and heat. A commodity is missing if no meter of the home measures it. */
async function commoditiesOf(db: Database, userId: string, month: DayRange): Promise<HomeReport['values']> {
  const rows = await db
    .selectFrom('series_roles as s')
    .innerJoin('devices', 'devices.device_id', 's.device_id')
    .select('s.meter')
    .distinct()
    .where('devices.user_id', '=', userId)
    .where('s.meter', 'is not', null)
    .execute();
  const meters = new Set(rows.map(({ meter }) => meter));
  const days = new Map<Commodity, CommodityInsight[]>();
  for (const commodity of COMMODITIES)
    if (meters.has(commodity) || meters.has(`${commodity}_m3`))
      days.set(commodity, await loadCommodityInsights(db, userId, commodity, month, 'day', new Set()));
  const sum = (commodity: Commodity, name: 'kwh_used' | 'm3_used') => sumOf(days.get(commodity) ?? [], name);
  return {
    ...(meters.has('gas') && { gas: sum('gas', 'kwh_used') }),
    ...(meters.has('gas_m3') && { gas_m3: sum('gas', 'm3_used') }),
    ...(meters.has('water_m3') && { water_m3: sum('water', 'm3_used') }),
    ...(meters.has('heat') && { heat: sum('heat', 'kwh_used') }),
  };
}

interface DeviceRow {
  device_id: string;
  type: string;
  location: string;
  imports: boolean;
  exports: boolean;
  powers: number;
}

/**
 * Returns the devices of a home that contribute to its import or export of electricity in the month. `power` is missing if no power is
 * measured, or if several powers cannot be added.
 */
async function devicesOf(db: Database, userId: string, month: DayRange, now: Date): Promise<DeviceReport[]> {
  // Raw SQL: the query combines the series of each device with aggregate functions.
  const { rows } = await sql<DeviceRow>`
    SELECT d.device_id, d.type, d.location, bool_or(c.imports) AS imports, bool_or(c.exports) AS exports,
      count(*) FILTER (WHERE s.kind = 'power')::int AS powers
    FROM devices d JOIN series s ON s.device_id = d.device_id
    CROSS JOIN LATERAL (
      SELECT coalesce(bool_or(o.counts_import), false) AS imports, coalesce(bool_or(o.counts_export), false) AS exports
      FROM series_roles o WHERE o.series_id = s.series_id AND o.counts_until > ${month.from}) c
    WHERE d.user_id = ${userId} AND d.deleted_at IS NULL AND d.placement <> 'excluded'
    GROUP BY d.device_id HAVING bool_or(c.imports) OR bool_or(c.exports) ORDER BY d.device_id LIMIT ${MAX_DEVICES}`.execute(
    db,
  );
  const ids = rows.map(({ device_id }) => device_id);
  const channels = await readLatestChannelValues(db, ids, now);
  const reports: DeviceReport[] = [];
  for (const row of rows) {
    const own = channels.get(row.device_id) ?? [];
    const hasPower = row.powers === 1 || sumPowers(own.filter(({ unit }) => unit === 'W')).power_w !== null;
    const months: HomeInsight[] = await loadDeviceInsights(db, row.device_id, month, 'month', EXPORT);
    reports.push({
      deviceId: row.device_id,
      name: row.location || row.type,
      type: row.type,
      values: {
        ...(row.imports && { import: sumOf(months, 'kwh_used') }),
        ...(row.exports && { export: sumOf(months, 'export_kwh') }),
        ...(hasPower && { power: getCurrentPower(own, now.getTime()).power_w }),
      },
    });
  }
  return reports;
}

/**
 * Time in minutes after the end of a month for which its sums are still published, because meters may report the month's last hour late.
 * Later, Home Assistant starts from 0 again.
 */
const CLOSING_MINUTES = 65;

/**
 * Returns the month and the day whose sums are published at a given time, and their starts. Shortly after the end of a month
 * (`CLOSING_MINUTES`), `month` is still the previous month.
 */
export function findReportedPeriods(
  now: Date,
  zone: string,
): { month: DayRange; day: DayRange; since: { month: string; day: string } } {
  const today = DateTime.fromJSDate(now, { zone });
  const counted = today.minus({ minutes: CLOSING_MINUTES });
  const first = counted.startOf('month');
  const isClosing = first.month !== today.month;
  const last = isClosing ? counted.endOf('month') : today;
  return {
    month: createDayRange(dateOf(first), dateOf(last), zone),
    day: createDayRange(dateOf(today), dateOf(today), zone),
    since: { month: isoOf(getFirstInstant(first, 'month')), day: isoOf(getFirstInstant(today, 'day')) },
  };
}

const dateOf = (time: DateTime): string => time.toFormat('yyyy-MM-dd');
const isoOf = (time: DateTime): string => time.toISO({ suppressMilliseconds: true }) as string;

/**
 * Reads the usage of a home for its MQTT topic (docs/mqtt-homes.md); null if the account does not exist. Days begin at midnight in
 * `timezone`. A null value means unknown.
 */
export async function readHomeUsageReport(db: Database, userId: string, now: Date) {
  const user = await db.selectFrom('users').select('timezone').where('user_id', '=', userId).executeTakeFirst();
  if (!user) return null;
  const { timezone } = user;
  const local = DateTime.fromJSDate(now, { zone: timezone });
  const dayOf = (time: DateTime) => time.toFormat('yyyy-MM-dd');
  const [today, yesterday] = [dayOf(local), dayOf(local.minus({ days: 1 }))];
  const stretch = async (start: string, end: string, groupBy: 'day' | 'month') => {
    const range: DayRange = createDayRange(start, end, timezone);
    const used = (await loadUsageInsights(db, userId, range, groupBy)).at(-1)?.kwh_used ?? null;
    return { kwh_used: used, cost: await costOf(db, { userId, range, now }, groupBy) };
  };
  const days = {
    today: await stretch(today, today, 'day'),
    yesterday: await stretch(yesterday, yesterday, 'day'),
    this_month: await stretch(dayOf(local.startOf('month')), today, 'month'),
  };
  const currency = days.today.cost?.currency ?? null;
  const toStretch = ({ kwh_used, cost }: (typeof days)['today']) => ({
    kwh_used,
    cost: cost?.currency === currency ? (cost?.total ?? null) : null,
  });
  const [latest] = await findNewestReadingTimes(db, [userId]);
  const home = await loadHome(db, userId, { isMoreAsked: false, needsConsumption: false });
  const power = await loadCurrentPower(db, home, now);
  return {
    user_id: userId,
    /** Time of the latest reading of any of the home's devices, ISO 8601; null if there is none. */
    as_of: latest?.newest.toISOString() ?? null,
    timezone,
    /** Current power of the home in W. */
    power_w: power?.watts ?? null,
    /** Number of minutes over which `power_w` is averaged; null if the power is measured. */
    power_mean_minutes: power?.minutes ?? null,
    /** Currency of the costs (ISO 4217); null if no tariff applies. */
    currency,
    today: toStretch(days.today),
    yesterday: toStretch(days.yesterday),
    this_month: toStretch(days.this_month),
  };
}
