import type { Cost, Costs, Overview } from '#src/api/dashboard/shapes.ts';
import type { Bar } from '../../parts/chart.ts';
import { moneyOf } from '../../parts/money.ts';
import { dateFormat } from '../../words/locale.ts';
import type { Days } from './figure.ts';

type Known = Overview['hours'][number] | Overview['days'][number] | Overview['months'][number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const bar = (label: string, name: string, row: Known | undefined, cost: Cost | undefined): Bar => ({
  label,
  name,
  value: row?.kwh_used ?? null,
  estimated: row?.estimated_kwh ?? 0,
  ...(cost ? { cost: moneyOf(cost) } : {}),
});

/** The days that each figure is about, YYYY-MM-DD. `now`: with the zone's offset. */
export function daysOfFigures(now: string): Record<'today' | 'yesterday' | 'month' | 'last_month', Days> {
  const today = now.slice(0, 10);
  const before = (date: string) => new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10);
  const first = `${today.slice(0, 7)}-01`;
  const last = before(first);
  return {
    today: { start: today, end: today },
    yesterday: { start: before(today), end: before(today) },
    month: { start: first, end: today },
    last_month: { start: `${last.slice(0, 7)}-01`, end: last },
  };
}

/** The twelve months that Home shows, this one included, up to today. */
export function yearOf(now: string): Days {
  const [year = 0, month = 1] = now.split('-').map(Number);
  return { start: new Date(Date.UTC(year, month - 12, 1)).toISOString().slice(0, 10), end: now.slice(0, 10) };
}

/** The last 48 hours; those about which nothing is known stay empty. */
export function hourBars({ hours, now, timezone }: Overview, costs: Costs | null): Bar[] {
  const clock = dateFormat({
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
  });
  const full = dateFormat({
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
  });
  const rows = new Map(hours.map((row) => [Date.parse(row.starts_at), row]));
  const costOf = new Map(costs?.hours.map(({ starts_at, cost }) => [Date.parse(starts_at), cost]));
  // Any hour's start tells how the zone's hours lie; without one the minutes of now do.
  const known = hours.at(-1);
  const nowMs = Date.parse(now);
  const phaseMs = known ? Date.parse(known.starts_at) % HOUR_MS : phaseOf(now);
  const lastMs = Math.floor((nowMs - phaseMs) / HOUR_MS) * HOUR_MS + phaseMs;
  return Array.from({ length: 48 }, (_, place) => {
    const startsMs = lastMs - (47 - place) * HOUR_MS;
    return bar(clock.format(startsMs), full.format(startsMs), rows.get(startsMs), costOf.get(startsMs));
  });
}

/** How far the hours of an offset (+05:30) lie from those of UTC. */
function phaseOf(iso: string): number {
  const [, sign, minutes] = /([+-])\d\d:(\d\d)$/.exec(iso) ?? [];
  const offMs = Number(minutes ?? 0) * 60_000;
  return sign === '+' ? (HOUR_MS - offMs) % HOUR_MS : offMs;
}

/** The last 30 days. */
export function dayBars({ days, now }: Overview, costs: Costs | null): Bar[] {
  const short = dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' });
  const full = dateFormat({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  const rows = new Map(days.map((row) => [row.date, row]));
  const costOf = new Map(costs?.days.map(({ date, cost }) => [date, cost]));
  const todayMs = Date.parse(now.slice(0, 10));
  return Array.from({ length: 30 }, (_, place) => {
    const day = new Date(todayMs - (29 - place) * DAY_MS);
    const date = day.toISOString().slice(0, 10);
    return bar(short.format(day), full.format(day), rows.get(date), costOf.get(date));
  });
}

/** The last 12 months. */
export function monthBars({ months, now }: Overview, costs: Costs | null): Bar[] {
  const short = dateFormat({ month: 'short', timeZone: 'UTC' });
  const full = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' });
  const rows = new Map(months.map((row) => [row.month, row]));
  const costOf = new Map(costs?.months.map(({ month, cost }) => [month, cost]));
  const [year = 0, month = 1] = now.split('-').map(Number);
  return Array.from({ length: 12 }, (_, place) => {
    const first = new Date(Date.UTC(year, month - 1 - (11 - place), 1));
    const named = first.toISOString().slice(0, 7);
    return bar(short.format(first), full.format(first), rows.get(named), costOf.get(named));
  });
}
