import { DateTime } from 'luxon';
import { milliwattHoursToKwh, QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { type CommodityUsage, loadCommodityOverview } from '../commodity-overview.ts';
import { computeExpectedCoverageMs } from '../home/roles.ts';
import { computeHomeMeasures } from '../home/sums.ts';
import { INCLUDABLE_HOME_FIELDS, type IncludedFields, selectIncludedFields } from '../include.ts';
import { countDays, createDayRange, type DayRange } from '../ranges.ts';
import type { UserOrDevice } from '../usage/imports.ts';
import { convertQuarterHourToWatts } from './base-load.ts';
import { loadPeriodDevices, type PeriodDevice } from './consumers.ts';
import {
  createDeviceDataSource,
  createHomeDataSource,
  type EnergyAmount,
  type EnergyWithCoverage,
  type PeriodDataSource,
  type PeriodTotal,
  type QuarterHourEnergies,
} from './data-source.ts';
import {
  type ComparedDays,
  type DaySpan,
  findComparedDays,
  findPeriodDays,
  getTimeRangeOfDays,
  type PeriodUnit,
} from './days.ts';
import { type CurrentPower, loadCurrentPower } from './power-now.ts';
import {
  buildQuarterHourCalendar,
  computeBaseAndNightLoad,
  computeMeanDayProfile,
  computeMeanWeekProfile,
  findPeakPower,
  type QuarterHourCalendar,
  type WeekHourMean,
} from './profile.ts';

/** All measures of the energy flows in a home. */
export type HomeEnergyFlows = Required<Omit<IncludedFields, 'export_kwh'>>;

interface Used {
  kwh_used: number | null;
  estimated_kwh: number | null;
  /** Share of the time up to now for which the usage is known, 0 to 1. */
  coverage: number | null;
}

/** A quarter-hour (instant), day (YYYY-MM-DD) or month (YYYY-MM) with known usage. */
interface Bucket {
  at: string;
  kwh_used: number;
  estimated_kwh: number;
}

/** The data that the Home page shows for a day, week, month or year of a home or device. */
interface HomePeriod {
  timezone: string;
  now: string;
  unit: PeriodUnit;
  start: string;
  end: string;
  /** First day with data; null if unknown. */
  first_date: string | null;
  is_production: boolean;
  used: Used;
  /** Usage so far, and on the same weekdays of earlier periods up to the same time of day. Null if there is none. */
  compared: { now: DaySpan & Used; before: (DaySpan & Used) | null; last_year: DaySpan & Used } | null;
  buckets: Bucket[];
  /** Load by quarter-hour of the day in W: of the day itself, or the mean over the last days of a longer period. Null if unknown. */
  curve: { at: string | null; slot: number; watts: number | null }[];
  /** The quarter-hour with the highest power. */
  peak: { at: string; watts: number } | null;
  /** Base load and night load over the last `days` days. */
  profile: { days: number; base_watts: number | null; night_watts: number | null };
  /** Null for a device. */
  power: CurrentPower | null;
  flows: HomeEnergyFlows | null;
  commodities: CommodityUsage<'used' | 'before' | 'last_year'>[];
  devices: PeriodDevice[];
  thermostats: { device_id: string; location: string }[];
  week: { weeks: number; cells: WeekHourMean[] };
}

/** Number of days from which night loads and base loads are computed: four of each weekday. */
const PROFILE_DAYS = 28;
const WEEKS = 12;

/**
 * Returns the data of a day, week, month or year of a home, or of one of its devices. `newest`: time of the latest message, at which the
 * compared usage ends.
 */
export async function loadHomePeriod(
  db: Database,
  { userId, deviceId }: { userId: string; deviceId?: string | undefined },
  asked: { unit: PeriodUnit; date: string; zone: string; now: Date; newest: Date | null },
): Promise<HomePeriod> {
  const { unit, date, zone, now } = asked;
  const days = findPeriodDays(unit, date);
  const range = createDayRange(days.start, days.end, zone);
  const spans = findComparedDaySpans(unit, days, asked);
  // If several days are compared, the total of the whole period is used, although it may include a few minutes after the last compared
  // quarter-hour.
  const isLong = spans !== null && spans[0].days.start < spans[0].days.end;
  const teller =
    deviceId === undefined ? await createHomeDataSource(db, userId) : await createDeviceDataSource(db, deviceId);
  const window = windowOf(range, now, teller?.beginsAtMs ?? null);
  const count = (window.to.getTime() - window.from.getTime()) / QUARTER_HOUR_MS;
  const calendar = buildQuarterHourCalendar(window.from.getTime(), count, zone);
  const nightly = lastDays(window, calendar);
  const isHome = deviceId === undefined;
  const nothing = { fromMs: window.from.getTime(), energies: new Float64Array(count).fill(Number.NaN) };
  const [whole, totals, rows, load, power, commodities, devices, thermostats] = await Promise.all([
    teller?.totalIn({ from: range.from, to: earlier(range.to, endOfQuarterHour(now)) }) ?? null,
    Promise.all(
      (spans ?? []).map((span, index) =>
        span && teller && !(index === 0 && isLong) ? teller.usedIn(span.range) : null,
      ),
    ),
    unit === 'day' ? [] : (teller?.bucketsIn(range, unit === 'year' ? 'month' : 'day') ?? []),
    teller?.loadIn(window) ?? nothing,
    isHome && teller ? loadCurrentPower(db, teller.home, now) : null,
    commoditiesIn(db, deviceId === undefined ? { userId } : { deviceId }, range, spans),
    isHome ? loadPeriodDevices(db, userId, range, nightly) : [],
    thermostatsOf(db, userId, deviceId),
  ]);
  const isoOf = (ms: number) => DateTime.fromMillis(ms, { zone }).toISO({ suppressMilliseconds: true }) as string;
  const peak = unit === 'year' ? null : findPeakPower(load, range);
  return {
    timezone: zone,
    now: isoOf(now.getTime()),
    unit,
    ...days,
    first_date: teller?.beginsAtMs == null ? null : DateTime.fromMillis(teller.beginsAtMs, { zone }).toISODate(),
    is_production: teller?.isProducer ?? false,
    used: usedOf(whole),
    compared: spans && compare(spans, isLong ? [whole, ...totals.slice(1)] : totals),
    buckets: rows.map(({ date: at, ...amount }) => ({ at: unit === 'year' ? at.slice(0, 7) : at, ...known(amount) })),
    curve:
      unit === 'day'
        ? curveOf(load, range)
        : typicalCurve(load, calendar, countDays(days.start, earlierDate(days.end, dateIn(now, zone)))),
    peak: peak && { at: isoOf(peak.atMs), watts: peak.watts },
    profile: { days: PROFILE_DAYS, ...computeBaseAndNightLoad(load.energies, calendar, PROFILE_DAYS) },
    power,
    flows: isHome && teller && isComposed(teller) && whole ? flowsOf(teller, whole, range, now) : null,
    commodities,
    devices,
    thermostats,
    week: { weeks: WEEKS, cells: computeMeanWeekProfile(load, calendar) },
  };
}

/** Compared days. The last one ends at the time of day up to which data are known. */
interface Span {
  days: DaySpan;
  range: DayRange;
}

type ComparedSpans = [now: Span, before: Span | null, lastYear: Span];

/**
 * Returns the days to compare: those of a period, of the previous period, and of the period a year before. Null if the period has not
 * begun.
 */
export function findComparedDaySpans(
  unit: PeriodUnit,
  days: DaySpan,
  { zone, now, newest }: { zone: string; now: Date; newest: Date | null },
): ComparedSpans | null {
  const until = newest && newest < now ? newest : now;
  const untilDate = dateIn(until, zone);
  const compared: ComparedDays | null = findComparedDays(unit, days, untilDate);
  if (!compared) return null;
  const cutAt = untilDate <= days.end ? until : null;
  const span = (of: DaySpan): Span => ({
    days: of,
    range: { ...of, zone, ...getTimeRangeOfDays(of, zone, cutAt) },
  });
  return [span(compared.now), compared.before && span(compared.before), span(compared.last_year)];
}

const earlierDate = (a: string, b: string): string => (a < b ? a : b);
const dateIn = (time: Date, zone: string): string => DateTime.fromJSDate(time, { zone }).toISODate() ?? '';
const earlier = (a: Date, b: Date): Date => (a < b ? a : b);
const endOfQuarterHour = (time: Date): Date =>
  new Date(Math.ceil((time.getTime() + 1) / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);
const startOfQuarterHour = (ms: number): number => Math.floor(ms / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;

/** Returns the range of quarter-hours to read: the twelve weeks before the end of the period, or before now. */
function windowOf(range: DayRange, now: Date, beginsAtMs: number | null): { from: Date; to: Date } {
  const to = startOfQuarterHour(earlier(range.to, endOfQuarterHour(now)).getTime());
  if (range.from > now) return { from: new Date(to), to: new Date(to) };
  const { zone } = range;
  const last = DateTime.fromMillis(to - 1, { zone });
  const first = last.minus({ days: 7 * WEEKS - 1 }).toISODate() ?? '';
  const fromMs = createDayRange(first, first, zone).from.getTime();
  const begins = beginsAtMs === null ? fromMs : Math.min(to, Math.max(fromMs, beginsAtMs));
  return { from: new Date(startOfQuarterHour(begins)), to: new Date(to) };
}

/** Returns the last days of a range. A home may have many devices, so their quarter-hours are read only for these days. */
function lastDays({ from, to }: { from: Date; to: Date }, { dayStarts, ...lists }: QuarterHourCalendar) {
  const starts = dayStarts.slice(-PROFILE_DAYS - 1);
  const first = starts[0] ?? 0;
  const cut = <List extends Uint8Array | Float64Array>(list: List) => list.subarray(first) as List;
  const calendar: QuarterHourCalendar = {
    dayStarts: starts.map((at) => at - first),
    slots: cut(lists.slots),
    weekdays: cut(lists.weekdays),
    hoursMs: cut(lists.hoursMs),
  };
  return { from: new Date(from.getTime() + first * QUARTER_HOUR_MS), to, calendar, days: PROFILE_DAYS };
}

const known = ({ used, estimated }: EnergyAmount) => ({
  kwh_used: milliwattHoursToKwh(used),
  estimated_kwh: milliwattHoursToKwh(estimated),
});

function usedOf(total: EnergyWithCoverage | null): Used {
  if (!total?.amount) return { kwh_used: null, estimated_kwh: null, coverage: total?.coverage ?? null };
  return { ...known(total.amount), coverage: total.coverage };
}

/** `totals`: usage of the spans, in the same order. */
function compare(
  [now, before, lastYear]: ComparedSpans,
  totals: (EnergyWithCoverage | null)[],
): HomePeriod['compared'] {
  const [ofNow = null, ofBefore = null, ofLastYear = null] = totals;
  return {
    now: { ...now.days, ...usedOf(ofNow) },
    before: before && { ...before.days, ...usedOf(ofBefore) },
    last_year: { ...lastYear.days, ...usedOf(ofLastYear) },
  };
}

function curveOf({ fromMs, energies }: QuarterHourEnergies, { from, to, zone }: DayRange) {
  const firstMs = Math.ceil(from.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const count = Math.floor((to.getTime() - firstMs) / QUARTER_HOUR_MS);
  const { slots } = buildQuarterHourCalendar(firstMs, count, zone);
  const offset = (firstMs - fromMs) / QUARTER_HOUR_MS;
  return Array.from({ length: count }, (_, at) => {
    const energy = energies[offset + at] ?? Number.NaN;
    const iso = DateTime.fromMillis(firstMs + at * QUARTER_HOUR_MS, { zone }).toISO({ suppressMilliseconds: true });
    return {
      at: iso,
      slot: slots[at] as number,
      watts: Number.isNaN(energy) ? null : Math.round(convertQuarterHourToWatts(energy)),
    };
  });
}

/** Returns the mean load by quarter-hour of the day. For a long period, only its last days count. */
function typicalCurve({ energies }: QuarterHourEnergies, calendar: QuarterHourCalendar, count: number) {
  const days = Math.max(1, Math.min(count, PROFILE_DAYS));
  return computeMeanDayProfile(energies, calendar, days).map((watts, slot) => ({
    at: null,
    slot,
    watts: watts === null ? null : Math.round(watts),
  }));
}

const ALL = new Set(INCLUDABLE_HOME_FIELDS);

/** Whether the home has other energy flows than its import. */
const isComposed = ({ home: { had } }: PeriodDataSource): boolean =>
  had.production || had.storage || (had.grid && had.consumption);

function flowsOf({ home }: PeriodDataSource, { sums }: PeriodTotal, range: DayRange, now: Date): HomeEnergyFlows {
  const span = { fromMs: range.from.getTime(), toMs: Math.min(range.to.getTime(), now.getTime()) };
  return selectIncludedFields(
    computeHomeMeasures(sums, home.had, computeExpectedCoverageMs(home.devices, home.stretches, span)),
    ALL,
  ) as HomeEnergyFlows;
}

async function commoditiesIn(
  db: Database,
  whose: UserOrDevice,
  range: DayRange,
  spans: ReturnType<typeof findComparedDaySpans>,
): Promise<HomePeriod['commodities']> {
  const empty = { ...range, to: range.from };
  const [, before, lastYear] = spans ?? [];
  return loadCommodityOverview(db, whose, {
    used: range,
    before: before?.range ?? empty,
    last_year: lastYear?.range ?? empty,
  });
}

async function thermostatsOf(db: Database, userId: string, deviceId: string | undefined) {
  let query = db
    .selectFrom('devices as d')
    .select(['d.device_id', 'd.location'])
    .where('d.user_id', '=', userId)
    .where('d.deleted_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('series as s')
          .select('s.series_id')
          .whereRef('s.device_id', '=', 'd.device_id')
          .where('s.kind', '=', 'temperature'),
      ),
    )
    .orderBy('d.device_id')
    .limit(MAX_THERMOSTATS);
  if (deviceId !== undefined) query = query.where('d.device_id', '=', deviceId);
  return query.execute();
}
/** Maximum number of thermostats: the page draws a chart for each. */
const MAX_THERMOSTATS = 6;
