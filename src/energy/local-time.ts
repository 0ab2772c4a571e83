import { type RawBuilder, sql } from 'kysely';
import { IANAZone } from 'luxon';
import { MINUTE_MS } from '#src/core/units.ts';
import { type DayRange, MIN_OFFSET_DURATION_MS, SUB_DAY_UNIT_MINUTES, type SubDayUnit } from './ranges.ts';

/**
 * Computes local times in SQL by the time zone rules of this process. The rules of the database server may have another version, by which
 * days begin at other times.
 */

type RangeInZone = Pick<DayRange, 'from' | 'to' | 'zone'>;

/** Last year for which UTC offsets are computed. */
const LAST_YEAR = 2100;
const DECADE = 10;

/** A UTC offset, and the time (Unix ms) from which it applies. */
export interface ZoneOffset {
  atMs: number;
  offsetMs: number;
}

/** Cached by zone and decade, because computing the changes takes a millisecond. */
const known = new Map<string, readonly ZoneOffset[]>();
const MAX_KNOWN = 5_000;

const offsetAt = (zone: string, ms: number): number => Math.round(IANAZone.create(zone).offset(ms) * 60_000);

function changesIn(zone: string, decade: number): readonly ZoneOffset[] {
  const name = `${zone} ${decade}`;
  const found = known.get(name);
  if (found) return found;
  const changes: ZoneOffset[] = [];
  const endMs = Date.UTC(decade + DECADE, 0, 1);
  let fromMs = Date.UTC(decade, 0, 1) - 1;
  let offsetMs = offsetAt(zone, fromMs);
  while (fromMs < endMs - 1) {
    const toMs = Math.min(endMs - 1, fromMs + MIN_OFFSET_DURATION_MS);
    const next = offsetAt(zone, toMs);
    if (next !== offsetMs) changes.push({ atMs: firstWith(zone, next, fromMs, toMs), offsetMs: next });
    [fromMs, offsetMs] = [toMs, next];
  }
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(name, changes);
  return changes;
}

/** Returns the first time in `(beforeMs, atMs]` at which the zone has the offset. */
function firstWith(zone: string, offsetMs: number, beforeMs: number, atMs: number): number {
  let [low, high] = [beforeMs, atMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle) === offsetMs) high = middle;
    else low = middle;
  }
  return high;
}

/** Returns the offsets of a range in order. The first applies from -Infinity. */
export function listOffsets({ from, to, zone }: RangeInZone): [ZoneOffset, ...ZoneOffset[]] {
  const lastYear = Math.min(to.getUTCFullYear(), LAST_YEAR);
  const changes: ZoneOffset[] = [];
  for (let decade = Math.floor(from.getUTCFullYear() / DECADE) * DECADE; decade <= lastYear; decade += DECADE)
    changes.push(...changesIn(zone, decade));
  return [
    { atMs: Number.NEGATIVE_INFINITY, offsetMs: offsetAt(zone, from.getTime()) },
    ...changes.filter(({ atMs }) => atMs > from.getTime() && atMs < to.getTime()),
  ];
}

export const findOffset = <Offset extends ZoneOffset>(offsets: readonly Offset[], ms: number): Offset =>
  offsets.findLast(({ atMs }) => atMs <= ms) as Offset;

/** Returns a function that finds the end of an hour or shorter unit from its start, Unix ms. A clock change can shorten an hour. */
export function createSubDayUnitEndFinder(range: RangeInZone, unit: SubDayUnit): (startMs: number) => number {
  const unitMs = SUB_DAY_UNIT_MINUTES[unit] * MINUTE_MS;
  const offsets = listOffsets(range);
  return (startMs) => {
    const { offsetMs } = findOffset(offsets, startMs);
    const endMs = (Math.floor((startMs + offsetMs) / unitMs) + 1) * unitMs - offsetMs;
    const next = offsets.find(({ atMs }) => atMs > startMs)?.atMs;
    return next === undefined ? endMs : Math.min(endMs, next);
  };
}

/** `offsets` contains all offsets of the range, `starts` the starts of all but the first. */
function arraysOf(range: DayRange): { starts: Date[]; offsets: string[] } {
  const offsets = listOffsets(range);
  return {
    starts: offsets.slice(1).map(({ atMs }) => new Date(atMs)),
    offsets: offsets.map(({ offsetMs }) => `${offsetMs} milliseconds`),
  };
}

/** Returns SQL for the local time of an instant in a range. */
export function localTimeSql(instant: RawBuilder<unknown>, range: DayRange): RawBuilder<unknown> {
  if (range.zone === 'UTC') return sql`(${instant} AT TIME ZONE 'UTC')`;
  const { starts, offsets } = arraysOf(range);
  const place = starts.length === 0 ? sql`1` : sql`1 + width_bucket(${instant}, ${starts}::timestamptz[])`;
  return sql`(${instant} AT TIME ZONE 'UTC' + (${offsets}::interval[])[${place}])`;
}

/**
 * Returns SQL for the start of the local hour (or shorter unit) that contains an instant. If a clock change skips this start, the hour
 * starts at the change.
 */
export function startOfSubDayUnitSql(
  instant: RawBuilder<unknown>,
  range: DayRange,
  unit: SubDayUnit = 'hour',
): RawBuilder<unknown> {
  const length = sql.lit(`${SUB_DAY_UNIT_MINUTES[unit]} minutes`);
  if (range.zone === 'UTC') return sql`date_bin(${length}, ${instant}, 'epoch')`;
  const { starts, offsets } = arraysOf(range);
  const all = sql`${offsets}::interval[]`;
  if (starts.length === 0) return sql`(date_bin(${length}, ${instant} + (${all})[1], 'epoch') - (${all})[1])`;
  const changes = sql`${starts}::timestamptz[]`;
  const place = sql`width_bucket(${instant}, ${changes})`;
  const now = sql`(${all})[1 + ${place}]`;
  // Before the first offset change, the array element is null, which `greatest` ignores.
  return sql`greatest(date_bin(${length}, ${instant} + ${now}, 'epoch') - ${now}, (${changes})[${place}])`;
}
