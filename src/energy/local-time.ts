import { type RawBuilder, sql } from 'kysely';
import { IANAZone } from 'luxon';
import { HOUR_MS } from '#src/core/units.ts';
import { OFFSET_STEP_MS, type Range } from './ranges.ts';

/**
 * Local times in SQL by the zone database of this process. That of the database server may be another one: its days would begin at other
 * instants than the range, which is made here, and a row would lie outside of it (Africa/Casablanca, whose rules change year by year).
 */

/** Later times are not stored, and have the offset of then. */
const LAST_YEAR = 2100;
const DECADE = 10;

/** From when on a zone has another offset than before. */
interface Change {
  atMs: number;
  offsetMs: number;
}

/** By zone and decade: finding them takes a millisecond. */
const known = new Map<string, readonly Change[]>();
const MAX_KNOWN = 5_000;

const offsetAt = (zone: string, ms: number): number => Math.round(IANAZone.create(zone).offset(ms) * 60_000);

/** The changes of a decade, in order. */
function changesIn(zone: string, decade: number): readonly Change[] {
  const name = `${zone} ${decade}`;
  const found = known.get(name);
  if (found) return found;
  const changes: Change[] = [];
  const endMs = Date.UTC(decade + DECADE, 0, 1);
  let fromMs = Date.UTC(decade, 0, 1) - 1;
  let offsetMs = offsetAt(zone, fromMs);
  while (fromMs < endMs - 1) {
    const toMs = Math.min(endMs - 1, fromMs + OFFSET_STEP_MS);
    const next = offsetAt(zone, toMs);
    if (next !== offsetMs) changes.push({ atMs: firstWith(zone, next, fromMs, toMs), offsetMs: next });
    [fromMs, offsetMs] = [toMs, next];
  }
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(name, changes);
  return changes;
}

/** The first instant in `(beforeMs, atMs]` that has the offset, which `atMs` has. */
function firstWith(zone: string, offsetMs: number, beforeMs: number, atMs: number): number {
  let [low, high] = [beforeMs, atMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle) === offsetMs) high = middle;
    else low = middle;
  }
  return high;
}

/** The offset at the beginning of a range, and every other one within it. */
export function offsetsIn({ from, to, zone }: Range): { firstMs: number; changes: Change[] } {
  const firstMs = offsetAt(zone, from.getTime());
  const lastYear = Math.min(to.getUTCFullYear(), LAST_YEAR);
  const changes: Change[] = [];
  for (let decade = Math.floor(from.getUTCFullYear() / DECADE) * DECADE; decade <= lastYear; decade += DECADE)
    changes.push(...changesIn(zone, decade));
  return { firstMs, changes: changes.filter(({ atMs }) => atMs > from.getTime() && atMs < to.getTime()) };
}

/** Ends of the clock hours of a range by their starts, Unix ms: a change of clocks cuts an hour (Lord Howe moves them by half an hour). */
export function endsOfHours(range: Range): (startMs: number) => number {
  const { firstMs, changes } = offsetsIn(range);
  return (startMs) => {
    const offsetMs = changes.findLast(({ atMs }) => atMs <= startMs)?.offsetMs ?? firstMs;
    const endMs = (Math.floor((startMs + offsetMs) / HOUR_MS) + 1) * HOUR_MS - offsetMs;
    const next = changes.find(({ atMs }) => atMs > startMs)?.atMs;
    return next === undefined ? endMs : Math.min(endMs, next);
  };
}

/** Arrays of the same for SQL: where each offset begins, but for the first; and all of them. */
function arraysOf(range: Range): { starts: Date[]; offsets: string[] } {
  const { firstMs, changes } = offsetsIn(range);
  return {
    starts: changes.map(({ atMs }) => new Date(atMs)),
    offsets: [firstMs, ...changes.map(({ offsetMs }) => offsetMs)].map((ms) => `${ms} milliseconds`),
  };
}

/** The local time (a timestamp without a zone) of an instant within a range, in SQL. */
export function localTime(instant: RawBuilder<unknown>, range: Range): RawBuilder<unknown> {
  if (range.zone === 'UTC') return sql`(${instant} AT TIME ZONE 'UTC')`;
  const { starts, offsets } = arraysOf(range);
  const place = starts.length === 0 ? sql`1` : sql`1 + width_bucket(${instant}, ${starts}::timestamptz[])`;
  return sql`(${instant} AT TIME ZONE 'UTC' + (${offsets}::interval[])[${place}])`;
}

/**
 * The start of the clock hour in which an instant of a range lies, in SQL. Where the clock jumps over it (Lord Howe Island: from 02:00 to
 * 02:30) the hour starts at the jump; where half an hour of it comes again, that is an hour of its own.
 */
export function startOfHour(instant: RawBuilder<unknown>, range: Range): RawBuilder<unknown> {
  if (range.zone === 'UTC') return sql`date_bin('1 hour', ${instant}, 'epoch')`;
  const { starts, offsets } = arraysOf(range);
  const all = sql`${offsets}::interval[]`;
  if (starts.length === 0) return sql`(date_bin('1 hour', ${instant} + (${all})[1], 'epoch') - (${all})[1])`;
  const changes = sql`${starts}::timestamptz[]`;
  const place = sql`width_bucket(${instant}, ${changes})`;
  const now = sql`(${all})[1 + ${place}]`;
  // Where there was no change before it, the change is null, which is left out.
  return sql`greatest(date_bin('1 hour', ${instant} + ${now}, 'epoch') - ${now}, (${changes})[${place}])`;
}
