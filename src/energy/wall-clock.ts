import { DateTime } from 'luxon';
import { DAY_MS, MINUTE_MS, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { listOffsets, type ZoneOffset } from './local-time.ts';
import { createDayRange, SUB_DAY_UNIT_MINUTES, type SubDayUnit } from './ranges.ts';

export interface LocalDay {
  /** Date of the day in the zone, YYYY-MM-DD. */
  date: string;
  /** Month of the day, 1 to 12. */
  month: number;
  /** 1 is Monday. */
  weekday: number;
  /** Number of quarter-hours of the day: 96, or for example 92 or 100 at a clock change. */
  quarters: number;
}

/** Local time of a quarter-hour (UTC). */
export interface LocalQuarterHour {
  day: LocalDay;
  minute: number;
  offset: ZoneOffset;
}

/** Returns the start of the local hour (or shorter unit) that contains a time, Unix ms. */
export function getStartOfSubDayUnit(
  ms: number,
  { offset: { atMs, offsetMs } }: Pick<LocalQuarterHour, 'offset'>,
  unit: SubDayUnit,
): number {
  const unitMs = SUB_DAY_UNIT_MINUTES[unit] * MINUTE_MS;
  return Math.max(Math.floor((ms + offsetMs) / unitMs) * unitMs - offsetMs, atMs);
}

/**
 * Returns a function that finds the local time of a quarter-hour. It must be called in order, because it computes each from the previous
 * one: a calendar library would be too slow.
 */
export function createWallClock(fromMs: number, toMs: number, zone: string): (quarterMs: number) => LocalQuarterHour {
  // The range includes one more day at each end, because a clock that is set back across midnight repeats the end of a day.
  const dateOf = (ms: number) => DateTime.fromMillis(ms, { zone }).toISODate() ?? '';
  const whole = createDayRange(dateOf(fromMs - DAY_MS), dateOf(toMs + DAY_MS), zone);
  const offsets = listOffsets(whole);
  let index = 0;
  const offsetAt = (ms: number) => {
    while (index > 0 && (offsets[index] as ZoneOffset).atMs > ms) index--;
    while ((offsets[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) <= ms) index++;
    return offsets[index] as ZoneOffset;
  };
  const days = new Map<number, LocalDay>();
  const start = Math.ceil(whole.from.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  for (let ms = start; ms < whole.to.getTime(); ms += QUARTER_HOUR_MS) {
    const number = Math.floor((ms + offsetAt(ms).offsetMs) / DAY_MS);
    const day = days.get(number);
    if (day) day.quarters++;
    else days.set(number, dayOf(number));
  }
  return (ms) => {
    const offset = offsetAt(ms);
    const localMs = ms + offset.offsetMs;
    const number = Math.floor(localMs / DAY_MS);
    return {
      day: days.get(number) as LocalDay,
      minute: Math.floor((localMs - number * DAY_MS) / MINUTE_MS),
      offset,
    };
  };
}

/** `number`: days since 1970-01-01, which was a Thursday. */
function dayOf(number: number): LocalDay {
  const date = new Date(number * DAY_MS);
  return {
    date: date.toISOString().slice(0, 10),
    month: date.getUTCMonth() + 1,
    weekday: ((((number + 3) % 7) + 7) % 7) + 1,
    quarters: 1,
  };
}
