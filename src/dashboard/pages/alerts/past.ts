import type { Usage, User } from '#clients/typescript/client.ts';
import { call, Failure, withQuery } from '../../api.ts';
import type { Bar } from '../../parts/chart.ts';
import { DAY_MS, HOUR_MS } from '../../parts/format.ts';
import { dateFormat } from '../../words/locale.ts';
import {
  type AlertType,
  isCostType,
  suggestedAmount,
  suggestedHours,
  suggestedKwh,
  type WouldHaveFired,
} from './alert.ts';

/** How far back a rule is tried, today included. */
export const DAYS = 90;
/** Shorter silences are the usual pause between two messages, to many a device. */
const SHORTEST_SILENCE_HOURS = 3;

/** What a rule is tried on: a day with its total or its highest hour, or a month; kWh, or what it cost. Null where nothing is known of it. */
interface Step {
  /** Its first day. */
  date: string;
  value: number | null;
  /** HH:00, of the highest hour. */
  hour?: string | undefined;
}

/** The last 90 days as a rule of a type looks at them, and a threshold to begin with. */
export interface Past {
  type: AlertType;
  steps: Step[];
  /** Null: nothing is known that it could be made of. */
  suggested: number | null;
  /** Of the costs that are known; null: none are. */
  currency: string | null;
}

/** Days of a zone as YYYY-MM-DD. */
const dateIn = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at: Date | string) => format.format(new Date(at));
};

export async function askPast(type: AlertType, { user_id, timezone }: User, now = new Date()): Promise<Past> {
  if (type === 'no_data') {
    const body = { user_id, type, threshold_hours: SHORTEST_SILENCE_HOURS };
    const { data } = await call<{ data: WouldHaveFired[] }>('POST', '/v1/alerts/preview', body);
    return { type, steps: [], currency: null, suggested: suggestedHours(data.map((one) => hoursOf(one, now))) };
  }
  const dates = firstDays(type, dateIn(timezone)(now));
  const isMonthly = type === 'monthly_usage' || type === 'monthly_cost';
  const group_by = type === 'peak_usage' ? 'hour' : isMonthly ? 'month' : 'day';
  const query = { user_id, start: dates[0], end: dateIn(timezone)(now), group_by, tz: timezone };
  const ask = (more: object) => call<{ data: Usage[] }>('GET', withQuery('/v1/energy-insights', { ...query, ...more }));
  if (isCostType(type)) {
    // 422: in two currencies. Such costs make no picture.
    const { data } = await ask({ include: 'cost' }).catch((reason) => {
      if (reason instanceof Failure && reason.status === 422) return { data: [] };
      throw reason;
    });
    const steps = stepsOf(dates, data, ({ cost }) => (cost ? Number(cost.total) : null));
    const currency = data.find(({ cost }) => cost)?.cost?.currency ?? null;
    // What cost nothing is mostly of before the meter was there.
    const suggested = suggestedAmount(valuesOf(steps).filter((value) => value !== 0));
    return { type, steps, currency, suggested };
  }
  const steps = stepsOf(dates, (await ask({})).data, ({ kwh_used }) => kwh_used ?? null);
  return { type, steps, currency: null, suggested: suggestedKwh(type, valuesOf(steps)) };
}

const valuesOf = (steps: Step[]): number[] => steps.flatMap(({ value }) => value ?? []);

/** The last 90 days, or the months that they touch, by their first days. Pure. */
function firstDays(type: AlertType, today: string): string[] {
  const lastMs = Date.parse(today);
  const days = Array.from({ length: DAYS }, (_, place) =>
    new Date(lastMs - (DAYS - 1 - place) * DAY_MS).toISOString().slice(0, 10),
  );
  return type === 'monthly_usage' || type === 'monthly_cost'
    ? [...new Set(days.map((day) => `${day.slice(0, 7)}-01`))]
    : days;
}

/** The highest row of each step: its only one, or its highest hour. Pure. */
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

/** Bars of what a rule is tried on, those marked on which it would have fired. */
export function barsOf({ type, steps }: Past, fired: WouldHaveFired[], zone: string): Bar[] {
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

/** On how many days. */
export const daysOf = (fired: WouldHaveFired[], zone: string): number =>
  new Set(fired.map(({ period_start }) => dateIn(zone)(period_start))).size;

const formatOf = (options: Intl.DateTimeFormatOptions) => {
  const format = dateFormat({ ...options, timeZone: 'UTC' });
  return (date: string) => format.format(Date.parse(date));
};

/** How long a silence lasted, or has lasted by now. */
export const hoursOf = ({ period_start, period_end }: WouldHaveFired, now = new Date()): number =>
  ((period_end === null ? now.getTime() : Date.parse(period_end)) - Date.parse(period_start)) / HOUR_MS;
