import { setImmediate } from 'node:timers/promises';
import { DateTime } from 'luxon';
import { DAY_MS, QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { type Home, loadHome } from '#src/energy/home/home.ts';
import { type HomeQuarterHours, readHomeQuarterHours } from '#src/energy/home/quarter-hours.ts';
import { computeHomeUsage, createUsageSums, USAGE_SUM_NAMES, type UsageSumName } from '#src/energy/home/sums.ts';
import { convertQuarterHourToWatts } from '#src/energy/period/base-load.ts';
import { readQuarterHours } from '#src/energy/usage/quarter-hours.ts';
import { createWallClock } from '#src/energy/wall-clock.ts';
import { parseDayNumber } from './calendar.ts';
import type { DailyUsage } from './daily-use.ts';
import type { HomeProfile, QuarterHourWatts } from './profile.ts';

/** Number of days whose quarter-hours are in memory at the same time. */
const CHUNK_DAYS = 96;
/** Number of days whose quarter-hours are used for remarks. */
const PROFILE_DAYS = 70;
/** Number of days of usage that are read for forecasts and for the forecasts of past months. */
export const FORECAST_HISTORY_DAYS = 800;
/** Maximum age in ms of the newest data of a home that gets remarks. */
const LATEST_MS = 6 * 3_600_000;
/** Maximum number of devices that are evaluated individually. */
const MAX_DEVICES = 50;

/** Minimum share of a quarter-hour, and of a day, that must be known. At most half of the energy may be estimated. */
const MIN_COVERAGE = 0.9;
const MIN_DAY_COVERAGE = 0.95;

/** User whose data are read, time zone of the days, and current time. */
export interface ProfileQuery {
  userId: string;
  zone: string;
  now: Date;
}

/** Reads the data of a home from which remarks are computed. Null if the data are too old. */
export async function readHomeProfile(db: Database, asked: ProfileQuery): Promise<HomeProfile | null> {
  const home = await loadHome(db, asked.userId, { isMoreAsked: true, needsConsumption: true });
  const { quarters, fromMs, daily, today } = await readDays(db, home, asked, PROFILE_DAYS);
  const lastCovered = quarters.coverage.findLastIndex((share) => share > 0);
  const end = lastCovered + 1;
  if (lastCovered < 0 || asked.now.getTime() - (fromMs + end * QUARTER_HOUR_MS) > LATEST_MS) return null;
  const range = { from: new Date(fromMs), to: new Date(fromMs + end * QUARTER_HOUR_MS) };
  return {
    fromMs,
    used: wattsOf(quarters).subarray(0, end),
    production: home.had.production ? quarters.production.map(convertQuarterHourToWatts).subarray(0, end) : null,
    devices: await devicesOf(db, home, range),
    daily,
    today,
  };
}

/** Reads the usage of a home by day: of the last `days` days, and of today so far. */
export async function readDailyUsage(
  db: Database,
  asked: ProfileQuery,
  days: number,
): Promise<{ daily: DailyUsage; today: number; todayKwh: number }> {
  const home = await loadHome(db, asked.userId, { isMoreAsked: true, needsConsumption: false });
  const { daily, today, todayKwh } = await readDays(db, home, asked, days);
  return { daily, today, todayKwh };
}

/** Reads the quarter-hours of the last `days` days up to the last complete quarter-hour, and their sums by day. */
async function readDays(db: Database, home: Home, { zone, now }: ProfileQuery, days: number) {
  const endMs = Math.floor(now.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const begins = home.devices.flatMap(({ beginsAtMs }) => (beginsAtMs === null ? [] : [beginsAtMs]));
  const fromMs = Math.min(endMs, Math.max(endMs - days * DAY_MS, begins.length === 0 ? endMs : Math.min(...begins)));
  const count = (endMs - fromMs) / QUARTER_HOUR_MS;
  const list = () => new Float64Array(count).fill(Number.NaN);
  const all = { used: list(), estimated: list(), coverage: list(), production: list() };
  const byDay = new Map<number, DaySum>();
  for (let ms = fromMs; ms < endMs; ms += CHUNK_DAYS * DAY_MS) {
    await setImmediate();
    const toMs = Math.min(endMs, ms + CHUNK_DAYS * DAY_MS);
    const chunk = await readHomeQuarterHours(db, home, { from: new Date(ms), to: new Date(toMs) });
    for (const name of ['used', 'estimated', 'coverage', 'production'] as const)
      all[name].set(chunk[name], (ms - fromMs) / QUARTER_HOUR_MS);
    addDays(byDay, chunk, ms, toMs, zone);
  }
  const today = parseDayNumber(DateTime.fromJSDate(now, { zone }).toISODate() ?? '');
  const firstDay = Math.min(today, ...byDay.keys());
  const kwh = Array.from({ length: today - firstDay }, (_, at) => kwhOf(byDay.get(firstDay + at)));
  const todayKwh = (computeHomeUsage((byDay.get(today) ?? NOTHING).sums) ?? 0) / 1e6;
  return { quarters: all, fromMs, daily: { firstDay, kwh }, today, todayKwh };
}

/** Sums of a day. `covered`: number of known quarter-hours. `quarters`: number of all quarter-hours of the day. */
interface DaySum {
  sums: Record<UsageSumName, number>;
  covered: number;
  quarters: number;
}

const NOTHING: DaySum = { sums: createUsageSums(() => 0), covered: 0, quarters: 0 };

function addDays(
  byDay: Map<number, DaySum>,
  chunk: HomeQuarterHours,
  fromMs: number,
  toMs: number,
  zone: string,
): void {
  const clockOf = createWallClock(fromMs, toMs, zone);
  let last: { date: string; sum: DaySum } = { date: '', sum: NOTHING };
  for (let ms = fromMs, at = 0; ms < toMs; ms += QUARTER_HOUR_MS, at++) {
    const { day } = clockOf(ms);
    if (last.date !== day.date) {
      const number = parseDayNumber(day.date);
      const sum = byDay.get(number) ?? { ...NOTHING, sums: { ...NOTHING.sums }, quarters: day.quarters };
      byDay.set(number, sum);
      last = { date: day.date, sum };
    }
    for (const name of USAGE_SUM_NAMES) last.sum.sums[name] += chunk.usedSums[name][at] as number;
    if (!Number.isNaN(chunk.used[at])) last.sum.covered += Math.min(1, chunk.coverage[at] as number) || 0;
  }
}

function kwhOf(day: DaySum | undefined): number | null {
  if (!day || day.covered < MIN_DAY_COVERAGE * day.quarters) return null;
  const used = computeHomeUsage(day.sums);
  return used === null || 2 * day.sums.estimated > used ? null : used / 1e6;
}

/** Returns the power of each quarter-hour; NaN if too little of it is known, or most is estimated. `coverage`: known share of the time. */
const wattsOf = ({
  used,
  estimated,
  coverage,
}: Pick<HomeQuarterHours, 'used' | 'estimated' | 'coverage'>): QuarterHourWatts =>
  used.map((energy, at) => {
    const isKnown = (coverage[at] as number) >= MIN_COVERAGE && 2 * (estimated[at] as number) <= energy;
    return isKnown ? convertQuarterHourToWatts(energy) : Number.NaN;
  });

const MEASURES = ['energyMilliwattHours', 'estimatedMilliwattHours', 'coveredMs'] as const;

/** Reads the usage of the appliances and circuits that the home now has. */
async function devicesOf(db: Database, home: Home, range: { from: Date; to: Date }): Promise<HomeProfile['devices']> {
  const last = home.stretches.at(-1)?.roles;
  const shown = home.devices.filter(({ deviceId, partOf, endsAtMs, counted }) => {
    const role = last?.get(deviceId);
    const hasImport = counted.some(({ imports }) => imports > 0);
    return partOf === null && endsAtMs === null && hasImport && (role === 'consumption' || role === 'behind');
  });
  const ids = shown.slice(0, MAX_DEVICES).map(({ deviceId }) => deviceId);
  if (ids.length === 0) return [];
  const profiles = await readQuarterHours(db, { key: 'device_id', ids }, range, MEASURES);
  return [...profiles].map(
    ([deviceId, { energyMilliwattHours: used, estimatedMilliwattHours: estimated, coveredMs }]) => ({
      deviceId,
      used: wattsOf({ used, estimated, coverage: coveredMs.map((ms) => ms / QUARTER_HOUR_MS) }),
    }),
  );
}
