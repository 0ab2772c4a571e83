import { DateTime } from 'luxon';
import { offsetsIn } from './local-time.ts';
import type { ClockUnit, Range } from './ranges.ts';

/** Labels of a row in a response. A row of a day or month has only its first date. */
export interface RowLabels {
  date: string;
  /** Clock hour, `03:00`. Only of rows by hour. */
  hour?: string;
  /** Start on the clock, `03:15`. Only of rows by half-hour or quarter-hour. */
  time?: string;
  starts_at?: string;
}

/** Labels of a clock hour, `2026-03-29`, `03:00`, `2026-03-29T03:00:00+02:00`, or of a half-hour or quarter-hour. */
export type ClockLabels = RowLabels & { starts_at: string };

/** Returns the time that names a row by hour, half-hour or quarter-hour; as `peak_hour` the row names itself by it. */
export const clockTimeOf = ({ hour, time }: RowLabels): string | null => time ?? hour ?? null;

/**
 * Returns a function that labels the clock hours, half-hours or quarter-hours of a range, in its zone, by their starts. It computes from the offsets of the range: a
 * calendar library took a third of a second for the 8,760 hours of a year, during which the process served no other request.
 */
export function clockLabels(range: Range, unit: ClockUnit): (start: Date) => ClockLabels {
  const { zone } = DateTime.fromMillis(0, { zone: range.zone });
  const { firstMs, changes } = zone.isUniversal ? { firstMs: 0, changes: [] } : offsetsIn(range);
  const offsets = [{ atMs: Number.NEGATIVE_INFINITY, offsetMs: firstMs }, ...changes].map((one) => ({
    ...one,
    suffix: zone.isUniversal ? 'Z' : offsetText(one.offsetMs),
  }));
  return (start) => {
    const ms = start.getTime();
    const { offsetMs, suffix } = offsets.findLast(({ atMs }) => atMs <= ms) as (typeof offsets)[number];
    const local = new Date(ms + offsetMs).toISOString();
    const date = local.slice(0, 10);
    const starts_at = `${local.slice(0, 19)}${suffix}`;
    if (unit === 'hour') return { date, hour: `${local.slice(11, 13)}:00`, starts_at };
    return { date, time: local.slice(11, 16), starts_at };
  };
}

/** Formats a UTC offset as in ISO 8601. */
function offsetText(offsetMs: number): string {
  const minutes = Math.trunc(Math.abs(offsetMs) / 60_000);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}
