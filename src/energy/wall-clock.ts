import { DateTime } from 'luxon';
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from '#src/core/units.ts';
import { offsetsIn } from './local-time.ts';
import { dayRange } from './ranges.ts';

/** A day of a zone. */
export interface ClockDay {
  /** YYYY-MM-DD. */
  date: string;
  /** 1 to 12. */
  month: number;
  /** ISO: 1 is Monday. */
  weekday: number;
  /** Quarter-hours (UTC) that begin in it: 96, 92 or 100 where the clock changes. */
  quarters: number;
}

/** Where a quarter-hour (UTC) begins on a wall clock. */
export interface ClockQuarter {
  day: ClockDay;
  /** Minutes after midnight. */
  minute: number;
  /** Unix ms: start of its clock hour, as rows by hour have it (local-time.ts, `startOfHour`). */
  hourMs: number;
}

/**
 * The wall clock of a zone over `[fromMs, toMs)`: what it shows as each quarter-hour begins, asked in order. A calendar that was asked each time
 * would take longer than everything that is done with its answers.
 */
export function wallClock(fromMs: number, toMs: number, zone: string): (quarterMs: number) => ClockQuarter {
  // Whole days, and one more at each end, which a clock that goes back over midnight may show again.
  const dateOf = (ms: number) => DateTime.fromMillis(ms, { zone }).toISODate() ?? '';
  const whole = dayRange(dateOf(fromMs - DAY_MS), dateOf(toMs + DAY_MS), zone);
  const { firstMs, changes } = offsetsIn(whole);
  const offsets = [{ atMs: Number.NEGATIVE_INFINITY, offsetMs: firstMs }, ...changes];
  let index = 0;
  const offsetAt = (ms: number) => {
    while (index > 0 && (offsets[index] as (typeof offsets)[number]).atMs > ms) index--;
    while ((offsets[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) <= ms) index++;
    return offsets[index] as (typeof offsets)[number];
  };
  const days = new Map<number, ClockDay>();
  const start = Math.ceil(whole.from.getTime() / QUARTER_MS) * QUARTER_MS;
  for (let ms = start; ms < whole.to.getTime(); ms += QUARTER_MS) {
    const number = Math.floor((ms + offsetAt(ms).offsetMs) / DAY_MS);
    const day = days.get(number);
    if (day) day.quarters++;
    else days.set(number, dayOf(number));
  }
  return (ms) => {
    const { atMs, offsetMs } = offsetAt(ms);
    const localMs = ms + offsetMs;
    const number = Math.floor(localMs / DAY_MS);
    return {
      day: days.get(number) as ClockDay,
      minute: Math.floor((localMs - number * DAY_MS) / MINUTE_MS),
      hourMs: Math.max(Math.floor(localMs / HOUR_MS) * HOUR_MS - offsetMs, atMs),
    };
  };
}

/** A day by its number since 1970. That was a Thursday. */
function dayOf(number: number): ClockDay {
  const date = new Date(number * DAY_MS);
  return {
    date: date.toISOString().slice(0, 10),
    month: date.getUTCMonth() + 1,
    weekday: ((((number + 3) % 7) + 7) % 7) + 1,
    quarters: 1,
  };
}
