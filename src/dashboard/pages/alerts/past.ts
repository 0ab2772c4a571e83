import type { Usage, User } from '#clients/typescript/client.ts';
import { ApiFailure, appendQuery, callApi } from '../../api.ts';
import { DAY_MS, HOUR_MS } from '../../parts/format.ts';
import type { Bar } from '../../parts/paint-bars.ts';
import { dateFormat } from '../../words/locale.ts';
import {
  type AlertType,
  type HypotheticalAlertFiring,
  isCostAlertType,
  suggestThresholdAmount,
  suggestThresholdHours,
  suggestThresholdKwh,
} from './alert.ts';

/** Number of days, including today, for which the preview evaluates an alert. */
export const ALERT_HISTORY_DAYS = 90;
/** Minimum length in hours of a silence in the preview, because many devices are often silent for less time. */
const MIN_SILENCE_HOURS = 3;

/**
 * A value in the past, in kWh or as an amount of money: the total of a day or month, or the highest total of the hours of a day. Null if
 * unknown.
 */
interface Step {
  /** The day, or the first day of the month, as YYYY-MM-DD. */
  date: string;
  value: number | null;
  /** Start of the hour with the highest total, as HH:00. */
  hour?: string | undefined;
}

/** Values of the last 90 days for one type of alert, and the threshold that is suggested because of them. */
export interface AlertHistory {
  type: AlertType;
  steps: Step[];
  /** Suggested threshold. Null if the costs of the past are unknown, or too low for a threshold. */
  suggested: number | null;
  /** Currency of the costs; null if there are none. */
  currency: string | null;
}

/** Returns a function that converts a time to its date in a time zone, as YYYY-MM-DD. */
const dateIn = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at: Date | string) => format.format(new Date(at));
};

export async function loadAlertHistory(
  type: AlertType,
  { user_id, timezone }: User,
  now = new Date(),
): Promise<AlertHistory> {
  if (type === 'no_data') {
    const body = { user_id, type, threshold_hours: MIN_SILENCE_HOURS };
    const { data } = await callApi<{ data: HypotheticalAlertFiring[] }>('POST', '/v1/alerts/preview', body);
    return {
      type,
      steps: [],
      currency: null,
      suggested: suggestThresholdHours(data.map((one) => getSilenceHours(one, now))),
    };
  }
  const dates = firstDays(type, dateIn(timezone)(now));
  const isMonthly = type === 'monthly_usage' || type === 'monthly_cost';
  const group_by = type === 'peak_usage' ? 'hour' : isMonthly ? 'month' : 'day';
  const query = { user_id, start: dates[0], end: dateIn(timezone)(now), group_by, tz: timezone };
  const ask = (more: object) =>
    callApi<{ data: Usage[] }>('GET', appendQuery('/v1/energy-insights', { ...query, ...more }));
  if (isCostAlertType(type)) {
    // Status 422 means costs in two currencies, which one chart cannot show.
    const { data } = await ask({ include: 'cost' }).catch((reason) => {
      if (reason instanceof ApiFailure && reason.status === 422) return { data: [] };
      throw reason;
    });
    const steps = stepsOf(dates, data, ({ cost }) => (cost ? Number(cost.total) : null));
    const currency = data.find(({ cost }) => cost)?.cost?.currency ?? null;
    // Days with a cost of zero are ignored, because most of them are from before the meter was installed.
    const suggested = suggestThresholdAmount(valuesOf(steps).filter((value) => value !== 0));
    return { type, steps, currency, suggested };
  }
  const steps = stepsOf(dates, (await ask({})).data, ({ kwh_used }) => kwh_used ?? null);
  return { type, steps, currency: null, suggested: suggestThresholdKwh(type, valuesOf(steps)) };
}

const valuesOf = (steps: Step[]): number[] => steps.flatMap(({ value }) => value ?? []);

/** Returns the dates of the last 90 days. For a monthly alert, returns the first day of each month in which these days lie. */
function firstDays(type: AlertType, today: string): string[] {
  const lastMs = Date.parse(today);
  const days = Array.from({ length: ALERT_HISTORY_DAYS }, (_, place) =>
    new Date(lastMs - (ALERT_HISTORY_DAYS - 1 - place) * DAY_MS).toISOString().slice(0, 10),
  );
  return type === 'monthly_usage' || type === 'monthly_cost'
    ? [...new Set(days.map((day) => `${day.slice(0, 7)}-01`))]
    : days;
}

/**
 * Returns a value for each date: the total of the row with this date. If the rows are hours, returns the highest total of the date's hours.
 */
function stepsOf(dates: string[], rows: Usage[], totalIn: (row: Usage) => number | null): Step[] {
  const highest = new Map<string, Usage>();
  for (const row of rows) {
    const known = highest.get(row.date);
    if (!known || (totalIn(row) ?? 0) > (totalIn(known) ?? 0)) highest.set(row.date, row);
  }
  return dates.map((date) => {
    const row = highest.get(date);
    return { date, value: row ? totalIn(row) : null, hour: row?.hour };
  });
}

/** Returns the bars of a chart of past values. Bars for which the alert would have fired are marked. */
export function createHistoryBars(
  { type, steps }: AlertHistory,
  fired: HypotheticalAlertFiring[],
  zone: string,
): Bar[] {
  const at = dateIn(zone);
  const marked = new Set(fired.map(({ period_start }) => at(period_start)));
  const isMonthly = type === 'monthly_usage' || type === 'monthly_cost';
  const label = formatOf(isMonthly ? { month: 'short' } : { day: 'numeric', month: 'short' });
  const name = formatOf(
    isMonthly ? { month: 'long', year: 'numeric' } : { weekday: 'short', day: 'numeric', month: 'short' },
  );
  return steps.map(({ date, value, hour }) => ({
    label: label(date),
    name: hour === undefined ? name(date) : `${name(date)}, ${hour}`,
    value,
    estimated: 0,
    isMarked: marked.has(date),
  }));
}

/** Returns the number of days on which the alert would have fired at least once. */
export const countFiringDays = (fired: HypotheticalAlertFiring[], zone: string): number =>
  new Set(fired.map(({ period_start }) => dateIn(zone)(period_start))).size;

const formatOf = (options: Intl.DateTimeFormatOptions) => {
  const format = dateFormat({ ...options, timeZone: 'UTC' });
  return (date: string) => format.format(Date.parse(date));
};

/** Returns the length of a silence in hours. An ongoing silence ends at `now`. */
export const getSilenceHours = ({ period_start, period_end }: HypotheticalAlertFiring, now = new Date()): number =>
  ((period_end === null ? now.getTime() : Date.parse(period_end)) - Date.parse(period_start)) / HOUR_MS;
