import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '#src/core/units.ts';
import {
  COLUMN_BY_MEASURE,
  findRollupLevel,
  getClosedHoursRelation,
  LOAD_PROFILE_LEVEL,
  type Measure,
  ROW_TIME_COLUMN,
  type RollupKey,
  type RollupLevel,
} from './levels.ts';
import { packedDayIntervalsSql, storedHoursSql, storedQuarterHoursSql } from './sql/hours.ts';
import { getSourceRollupLevel, type RollupSource, rollupKeyColumnsSql, rollupKeyOrdinalsSql } from './sql/pieces.ts';

/**
 * Builds SQL that adds up stored hours and latest hours. The latest hour of a device is stored in its row of `device_heads` and not yet in
 * the consumption tables, so a query must read both. A query must be one statement: an hour that is stored between two statements would be
 * counted twice or not at all.
 */

/** Returns the view of the devices' latest hours, and its key columns. */
const openOf = (level: RollupLevel): { view: string; source: RollupSource } =>
  level === LOAD_PROFILE_LEVEL
    ? {
        view: 'open_quarter_hours',
        source: { prefix: '', keys: ['device_id', 'user_id', 'starts_at'], time: 'starts_at' },
      }
    : { view: 'open_hours', source: { prefix: '', keys: ['device_id', 'user_id', 'hour'], time: 'hour' } };

/** Builds a subquery for stored rows and latest hours, which the enclosing query adds up. One hour, day or month may have several rows. */
export function closedAndOpenHourRowsSql(
  level: RollupLevel,
  columns: readonly string[],
  only = { closed: '', open: '' },
): string {
  const { view, source } = openOf(level);
  const both = columns.join(', ');
  return `(
  SELECT ${level.keys.join(', ')}, ${both}${only.closed} FROM ${getClosedHoursRelation(level)}
  UNION ALL
  SELECT ${rollupKeyColumnsSql(level, source)}, ${both}${only.open} FROM ${view}
)`;
}

/**
 * Builds the subquery of `closedAndOpenHourRowsSql` for devices and a time range. An index finds the rows of the range. `from` and `to` are
 * SQL expressions, which may use columns of the enclosing FROM.
 */
export function closedAndOpenHourRowsOfDevicesSql(
  level: RollupLevel,
  columns: readonly string[],
  { from, to }: { from: string; to: string },
): string {
  const { view, source } = openOf(level);
  const both = columns.join(', ');
  const within = (time: string) => `${time} >= ${from} AND ${time} < ${to}`;
  return `(
  SELECT ${level.keys.join(', ')}, ${both} FROM ${getClosedHoursRelation(level)}
  WHERE ${within(level.time)} AND ${ROW_TIME_COLUMN} > ${from} - interval '24 hours' AND ${ROW_TIME_COLUMN} < ${to}
  UNION ALL
  SELECT ${rollupKeyColumnsSql(level, source)}, ${both} FROM ${view} WHERE ${within(source.time)}
)`;
}

/**
 * Builds a subquery for the peak of a user's day or month: the earliest hour with the highest energy, at least half of which was measured.
 */
export function bucketPeakSql(level: RollupLevel, whose: string, since: string): string {
  const { peak } = level;
  if (!peak) throw new Error(`${level.relation} has no peak`);
  const below = getSourceRollupLevel(level);
  const [column, estimated] = [COLUMN_BY_MEASURE[peak.measure], COLUMN_BY_MEASURE.estimatedMilliwattHours];
  return `(SELECT b.${peak.of} FROM ${closedAndOpenHourRowsSql(below, [column, estimated])} b
    WHERE b.user_id = ${whose} AND b.${below.time} >= ${since} AND b.${below.time} < ${since} + interval '24 hours'
    GROUP BY 1 HAVING sum(b.${column}) > 0 AND 2 * sum(b.${estimated}) <= sum(b.${column}) ORDER BY sum(b.${column}) DESC, b.${peak.of} LIMIT 1)`;
}

export interface RollupOwner {
  key: 'user_id' | 'device_id';
  id: string;
}

/**
 * Builds a subquery for the rows of one user or device in `[from, to)`: stored rows, and the latest hour of each device. `rows`: reads only
 * stored rows that begin at these times.
 */
export function closedAndOpenHourRowsOfOwnerSql(
  level: RollupLevel,
  owner: RollupOwner,
  range: Stretch,
  columns: readonly string[],
  rows?: readonly Date[],
): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const both = columns.join(', ');
  // Raw SQL: names of relations are known only at run time.
  return sql`(
    SELECT ${sql.raw(`${level.keys.join(', ')}, ${both}`)} FROM ${sql.table(getClosedHoursRelation(level))} WHERE ${within(level.time, owner, range)} ${rowsWithin(level, range, rows)}
    UNION ALL
    SELECT ${sql.raw(`${rollupKeyColumnsSql(level, source)}, ${both}`)} FROM ${sql.table(view)} WHERE ${within(source.time, owner, range)}
  )`;
}

export interface RollupOwners {
  key: RollupOwner['key'];
  ids: readonly string[];
}

/**
 * Builds a query for the consumption of several users or devices in `[from, to)`, in intervals of 15, 30 or 60 minutes. Columns: `who` (id
 * of the user or device), `at` (start of the interval) and the given columns. An interval may have several rows.
 */
export function userOrDeviceLoadProfilesSql(
  { key, ids }: RollupOwners,
  { from, to }: Stretch,
  minutes: 15 | 30 | 60,
  columns: readonly string[],
): RawBuilder<unknown> {
  const level =
    minutes === 60 ? findRollupLevel(key === 'user_id' ? 'user_hourly' : 'device_hourly') : LOAD_PROFILE_LEVEL;
  const { view, source } = openOf(level);
  const only = (time: RollupKey) =>
    sql`${sql.ref(key)} = ANY (${ids}::text[]) AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;
  // A correction must be in the same interval as the consumption that it corrects; otherwise its interval would contain no known data.
  const at = minutes === 30 ? "date_bin('30 minutes', starts_at, 'epoch')" : level.time;
  const read = (start: string) => sql.raw([`${key} AS who`, `${start} AS at`, ...columns].join(', '));
  const closed = (start: string, part: string) =>
    sql`SELECT ${read(start)} FROM (${sql.raw(part)}) c WHERE ${only(level.time)} ${rowsWithin(level, { from, to })}`;
  // Raw SQL: names of relations are known only at run time.
  const parts = level.isOfDevice
    ? [
        closed(level.time, packedDayIntervalsSql(minutes, columns)),
        closed(at, minutes === 60 ? storedHoursSql(columns) : storedQuarterHoursSql(columns)),
      ]
    : [sql`SELECT ${read(level.time)} FROM ${sql.table(getClosedHoursRelation(level))} WHERE ${only(level.time)}`];
  const open = sql`SELECT ${read(minutes === 60 ? source.time : at)} FROM ${sql.table(view)} WHERE ${only(source.time)}`;
  return sql.join([...parts, open], sql` UNION ALL `);
}

/** Builds a query for the rows of several users in `[from, to)`: stored rows, and the latest hour of each device. One hour, day or month has several rows. */
export function closedAndOpenHourRowsOfUsersSql(
  level: RollupLevel,
  ids: readonly string[],
  { from, to }: Stretch,
  columns: readonly string[],
): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const keys = level.keys.filter((key) => key !== 'user_id');
  const only = (time: RollupKey) =>
    sql`user_id = ANY (${ids}::text[]) AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;
  return sql`
    SELECT ${list([...keys, ...columns])} FROM ${sql.table(getClosedHoursRelation(level))} WHERE ${only(level.time)}
    UNION ALL
    SELECT ${list([rollupKeyColumnsSql({ ...level, keys }, source), ...columns])} FROM ${sql.table(view)} WHERE ${only(source.time)}`;
}

/** Time range whose bounds are starts of hours, days or months. */
interface Stretch {
  from: Date;
  to: Date;
}

const within = (time: RollupKey, { key, id }: RollupOwner, { from, to }: Stretch): RawBuilder<unknown> =>
  sql`${sql.ref(key)} = ${id} AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;

/** Returns the condition that limits stored rows to those that may contain data of a time range. */
function rowsWithin({ isOfDevice }: RollupLevel, { from, to }: Stretch, rows?: readonly Date[]): RawBuilder<unknown> {
  if (!isOfDevice) return sql``;
  const time = sql.ref(ROW_TIME_COLUMN);
  if (rows) return sql`AND ${time} = ANY (${rows}::timestamptz[])`;
  return sql`AND ${time} > ${new Date(from.getTime() - DAY_MS)} AND ${time} < ${to}`;
}

/**
 * Builds a query for the rows of one user or device in `[from, to)` with known imports. Both bounds are starts of hours, days or months.
 * Known time is compared by `<> 0`, because the planner would misjudge `> 0`.
 */
export function rollupRowsSql(
  level: RollupLevel,
  owner: RollupOwner,
  range: Stretch,
  measures: readonly Measure[],
): RawBuilder<unknown> {
  const columns = measures.map((measure) => COLUMN_BY_MEASURE[measure]);
  const keys = level.primaryKey.filter((one) => one !== owner.key);
  return (level.isOfDevice ? withPacked : joined)(level, owner, range, { keys, columns });
}

interface Wanted {
  keys: readonly RollupKey[];
  columns: readonly string[];
}

const list = (items: readonly string[]) => sql.raw(items.join(', '));

/**
 * Builds the query of `rollupRowsSql` for devices. Only the few days that are stored by hour are grouped: grouping all hours of a year
 * would take longer than reading them.
 */
function withPacked(
  level: RollupLevel,
  owner: RollupOwner,
  range: Stretch,
  { keys, columns }: Wanted,
): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const read = [...columns, COLUMN_BY_MEASURE.coveredMs];
  const both = list([...keys, ...read]);
  const sum = (column: string) => `coalesce(p.${column}, 0) + coalesce(s.${column}, 0)`;
  const closed = (part: string) =>
    sql`SELECT ${both} FROM (${sql.raw(part)}) c WHERE ${within(level.time, owner, range)} ${rowsWithin(level, range)}`;
  return sql`
    SELECT ${list([...keys, ...columns.map((column) => `${sum(column)} AS ${column}`)])}
    FROM (${closed(packedDayIntervalsSql(60, read))}) p
    FULL JOIN (
      SELECT ${list([...keys, ...read.map((column) => `sum(${column})::bigint AS ${column}`)])}
      FROM (${closed(storedHoursSql(read))} UNION ALL SELECT ${both} FROM ${sql.table(view)} WHERE ${within(source.time, owner, range)}) parts
      GROUP BY ${list(keys)}
    ) s USING (${list(keys)})
    WHERE ${sql.raw(sum(COLUMN_BY_MEASURE.coveredMs))} <> 0`;
}

/**
 * Builds the query of `rollupRowsSql` for users. Joins the few latest hours to the stored rows, because a GROUP BY would process all rows.
 */
function joined(
  level: RollupLevel,
  owner: RollupOwner,
  range: Stretch,
  { keys, columns }: Wanted,
): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const { peak, primaryKey, time } = level;
  const estimated = COLUMN_BY_MEASURE.estimatedMilliwattHours;
  const read = [...new Set([...columns, COLUMN_BY_MEASURE.coveredMs, ...(peak ? [estimated] : [])])];
  const sum = (column: string) => `coalesce(c.${column}, 0) + coalesce(o.${column}, 0)`;
  const stored = peak ? [peak.column] : [];
  // The stored peak lacks latest hours, and may be wrong if energy was estimated. In both cases it is computed here.
  const found = stored.map((column) => {
    const anew = bucketPeakSql(level, `coalesce(o.${owner.key}, c.${owner.key})`, `coalesce(o.${time}, c.${time})`);
    return `CASE WHEN o.${time} IS NULL AND c.${estimated} = 0 THEN c.${column} ELSE ${anew} END AS ${column}`;
  });
  // Raw SQL: names of relations are known only at run time.
  return sql`
    SELECT ${list([...keys, ...columns.map((column) => `${sum(column)} AS ${column}`), ...found])}
    FROM (SELECT ${list([...primaryKey, ...read, ...stored])} FROM ${sql.table(getClosedHoursRelation(level))} WHERE ${within(time, owner, range)}) c
    FULL JOIN (
      SELECT ${sql.raw(rollupKeyColumnsSql({ ...level, keys: primaryKey }, source))}, ${list(read.map((column) => `sum(${column})::bigint AS ${column}`))}
      FROM ${sql.table(view)} WHERE ${within(source.time, owner, range)} GROUP BY ${sql.raw(rollupKeyOrdinalsSql({ ...level, keys: primaryKey }))}
    ) o USING (${list(keys)})
    WHERE ${sql.raw(sum(COLUMN_BY_MEASURE.coveredMs))} <> 0`;
}
