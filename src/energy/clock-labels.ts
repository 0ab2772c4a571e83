import { DateTime } from 'luxon';
import { DAY_MS } from '#src/core/units.ts';
import { findOffset, listOffsets, type ZoneOffset } from './local-time.ts';
import type { DayRange, SubDayUnit } from './ranges.ts';

/** Time labels of a row in a response. A row of a day or month has only `date`, its first day. */
export interface RowTimeLabels {
  date: string;
  /** Clock hour, such as `03:00`. Only in rows by hour. */
  hour?: string;
  /** Local start time, such as `03:15`. Only in rows by half-hour or quarter-hour. */
  time?: string;
  starts_at?: string;
}

/** All labels of an hour, half-hour or quarter-hour, for example `2026-03-29`, `03:00` and `2026-03-29T03:00:00+02:00`. */
export type RowTimeLabelsWithStart = RowTimeLabels & { starts_at: string };

/** Returns the label of an hour, half-hour or quarter-hour. */
export const findTimeOfDayLabel = ({ hour, time }: RowTimeLabels): string | null => time ?? hour ?? null;

const UNIT_MS = 15 * 60_000;
/** Local times of day in steps of a quarter-hour. */
const TIMES = Array.from({ length: DAY_MS / UNIT_MS }, (_, index) =>
  new Date(index * UNIT_MS).toISOString().slice(11, 16),
);

/**
 * Returns a function that labels hours, half-hours or quarter-hours by their start, in the zone of the range. It must be called in order.
 * It uses the UTC offsets of the range, because a calendar library is too slow for a year of hours.
 */
export function createRowTimeLabeller(range: DayRange, unit: SubDayUnit): (start: Date) => RowTimeLabelsWithStart {
  const offsets = offsetsWithSuffixes(range);
  let [day, date] = [Number.NaN, ''];
  return (start) => {
    const ms = start.getTime();
    const { offsetMs, suffix } = findOffset(offsets, ms);
    const localMs = ms + offsetMs;
    const localDay = Math.floor(localMs / DAY_MS);
    if (localDay !== day) [day, date] = [localDay, new Date(localMs).toISOString().slice(0, 10)];
    const msOfDay = localMs - day * DAY_MS;
    // Historical UTC offsets include seconds, so a start may be missing in the table.
    const known = TIMES[msOfDay / UNIT_MS];
    const time = known ?? new Date(localMs).toISOString().slice(11, 16);
    const seconds = known === undefined ? new Date(localMs).toISOString().slice(16, 19) : ':00';
    const starts_at = `${date}T${time}${seconds}${suffix}`;
    return unit === 'hour' ? { date, hour: `${time.slice(0, 2)}:00`, starts_at } : { date, time, starts_at };
  };
}

/** Returns the UTC offsets in a range with their suffix in ISO 8601, such as `+02:00` or `Z`. */
function offsetsWithSuffixes(range: DayRange): (ZoneOffset & { suffix: string })[] {
  const { isUniversal } = DateTime.fromMillis(0, { zone: range.zone }).zone;
  return listOffsets(range).map((one) => ({ ...one, suffix: isUniversal ? 'Z' : offsetText(one.offsetMs) }));
}

function offsetText(offsetMs: number): string {
  const minutes = Math.trunc(Math.abs(offsetMs) / 60_000);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}
