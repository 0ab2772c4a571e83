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
import { getLevelBelow, levelKeyOrdinalsSql, levelKeysSql, type RollupSource } from './sql/pieces.ts';

/**
 * Builds SQL that combines closed and open hours. The open hour of a device is its latest hour, stored in the device's head (its row of
 * `device_heads`); all hours before it are closed: a stored hour is a row of `device_hours`, a packed day a row of `device_days`. A row of
 * a level is the sum of both, because a change of consumption may be in either. The public views, for people, are built with this module;
 * the service itself uses it to read only the parts that it needs, which is faster. A query must be one statement: the energy of an hour
 * that closes between two statements would be included twice or not at all.
 */

/** Returns the view of open hours from which a level adds the current data, with the keys of this view. */
const openOf = (level: RollupLevel): { view: string; source: RollupSource } =>
  level === LOAD_PROFILE_LEVEL
    ? {
        view: 'open_quarter_hours',
        source: { prefix: '', keys: ['device_id', 'user_id', 'starts_at'], time: 'starts_at' },
      }
    : { view: 'open_hours', source: { prefix: '', keys: ['device_id', 'user_id', 'hour'], time: 'hour' } };

/**
 * Builds a subquery for the closed and open parts of a level's rows; the enclosing query adds up these parts. The subquery's columns are
 * the keys, the columns that both parts have, and the columns that only one part has. A row of the level may have two or more parts.
 */
export function closedAndOpenRowsSql(
  level: RollupLevel,
  columns: readonly string[],
  only = { closed: '', open: '' },
): string {
  const { view, source } = openOf(level);
  const both = columns.join(', ');
  return `(
  SELECT ${level.keys.join(', ')}, ${both}${only.closed} FROM ${getClosedHoursRelation(level)}
  UNION ALL
  SELECT ${levelKeysSql(level, source)}, ${both}${only.open} FROM ${view}
)`;
}

/**
 * Builds the subquery of `closedAndOpenRowsSql` for a device level and a time range. `from` and `to` are SQL expressions that the enclosing
 * FROM provides. With the range, an index finds the closed data in every table.
 */
export function closedAndOpenDeviceRowsSql(
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
  SELECT ${levelKeysSql(level, source)}, ${both} FROM ${view} WHERE ${within(source.time)}
)`;
}

/**
 * Builds a subquery for the peak of a user's bucket, from the level below. The peak is the part with the highest energy, at least half of
 * which was measured; of equally high parts, the earliest. (A stored peak does not consider whether energy was estimated, so it is valid
 * only if nothing was estimated.)
 */
export function bucketPeakSql(level: RollupLevel, whose: string, since: string): string {
  const { peak } = level;
  if (!peak) throw new Error(`${level.relation} has no peak`);
  const below = getLevelBelow(level);
  const [column, estimated] = [COLUMN_BY_MEASURE[peak.measure], COLUMN_BY_MEASURE.estimatedMilliwattHours];
  return `(SELECT b.${peak.of} FROM ${closedAndOpenRowsSql(below, [column, estimated])} b
    WHERE b.user_id = ${whose} AND b.${below.time} >= ${since} AND b.${below.time} < ${since} + interval '24 hours'
    GROUP BY 1 HAVING sum(b.${column}) > 0 AND 2 * sum(b.${estimated}) <= sum(b.${column}) ORDER BY sum(b.${column}) DESC, b.${peak.of} LIMIT 1)`;
}

export interface RollupOwner {
  key: 'user_id' | 'device_id';
  id: string;
}

/**
 * Builds a subquery for the closed and open parts of one user's or device's rows in `[from, to)`, with keys and columns. `rows`: if given,
 * the subquery reads only those stored hours and packed days that begin at these times.
 */
export function closedAndOpenOwnerRowsSql(
  level: RollupLevel,
  owner: RollupOwner,
  range: Stretch,
  columns: readonly string[],
  rows?: readonly Date[],
): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const both = columns.join(', ');
  // Raw SQL: the names of the relations come from src/rollups/levels.ts. Every response about usage runs this query.
  return sql`(
    SELECT ${sql.raw(`${level.keys.join(', ')}, ${both}`)} FROM ${sql.table(getClosedHoursRelation(level))} WHERE ${within(level.time, owner, range)} ${rowsWithin(level, range, rows)}
    UNION ALL
    SELECT ${sql.raw(`${levelKeysSql(level, source)}, ${both}`)} FROM ${sql.table(view)} WHERE ${within(source.time, owner, range)}
  )`;
}

/** Several users, or several devices, whose rows are read. */
export interface RollupOwners {
  key: RollupOwner['key'];
  ids: readonly string[];
}

/**
 * Builds a query for the load profiles of several users or devices in `[from, to)`, in intervals of 15, 30 or 60 minutes. The query's
 * columns are `who` (id of the user or device), `at` (start of the interval) and the given columns. For 60 minutes, users have rows of
 * their own, which are the sums over their devices. With 30 minutes, the caller has half as many rows to group as with 15. An interval may
 * have several rows.
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
  // A correction of stored consumption must be in the same interval as the row that it corrects, because an interval with only the
  // correction would contain no known data.
  const at = minutes === 30 ? "date_bin('30 minutes', starts_at, 'epoch')" : level.time;
  const read = (start: string) => sql.raw([`${key} AS who`, `${start} AS at`, ...columns].join(', '));
  const closed = (start: string, part: string) =>
    sql`SELECT ${read(start)} FROM (${sql.raw(part)}) c WHERE ${only(level.time)} ${rowsWithin(level, { from, to })}`;
  // Raw SQL: the names of the relations come from src/rollups/levels.ts. Every response about a home runs this query.
  const parts = level.isOfDevice
    ? [
        closed(level.time, packedDayIntervalsSql(minutes, columns)),
        closed(at, minutes === 60 ? storedHoursSql(columns) : storedQuarterHoursSql(columns)),
      ]
    : [sql`SELECT ${read(level.time)} FROM ${sql.table(getClosedHoursRelation(level))} WHERE ${only(level.time)}`];
  const open = sql`SELECT ${read(minutes === 60 ? source.time : at)} FROM ${sql.table(view)} WHERE ${only(source.time)}`;
  return sql.join([...parts, open], sql` UNION ALL `);
}

/**
 * Builds a query for the parts (closed and open) of a level's rows of several users in `[from, to)`: the keys without the user, and the
 * columns. The result has several rows for each bucket.
 */
export function closedAndOpenUserRowsSql(
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
    SELECT ${list([levelKeysSql({ ...level, keys }, source), ...columns])} FROM ${sql.table(view)} WHERE ${only(source.time)}`;
}

/** Time range whose bounds are starts of buckets of one level. */
interface Stretch {
  from: Date;
  to: Date;
}

const within = (time: RollupKey, { key, id }: RollupOwner, { from, to }: Stretch): RawBuilder<unknown> =>
  sql`${sql.ref(key)} = ${id} AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;

/** Returns the condition that limits stored hours and packed days to rows that may contain data of a time range. */
function rowsWithin({ isOfDevice }: RollupLevel, { from, to }: Stretch, rows?: readonly Date[]): RawBuilder<unknown> {
  if (!isOfDevice) return sql``;
  const time = sql.ref(ROW_TIME_COLUMN);
  if (rows) return sql`AND ${time} = ANY (${rows}::timestamptz[])`;
  return sql`AND ${time} > ${new Date(from.getTime() - DAY_MS)} AND ${time} < ${to}`;
}

/**
 * Builds a query for those rows of one user or device in `[from, to)` whose imported energy is known; both bounds are starts of buckets.
 * The query's columns are the other keys, the measures and the peak, if the level has one. Known time is never negative, but the condition
 * is `<> 0`: with `> 0`, the planner would expect to drop two thirds of the rows, and would sort the groups above them.
 */
export function levelRowsSql(
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
 * Builds the query of `levelRowsSql` for device levels. Only stored and open hours are grouped, because one hour may have several rows of
 * these; a packed day yields a single row for each of its hours. If most days are packed, few rows need grouping. Grouping every hour of a
 * year would take longer than reading the hours.
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
 * Builds the query of `levelRowsSql` for user levels. Few rows have open hours, so the open rows are joined to the closed ones. A GROUP BY
 * would process all closed rows, too.
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
  // The stored peak does not include open hours, and may be wrong if energy was estimated. In both cases, the peak is computed here.
  const found = stored.map((column) => {
    const anew = bucketPeakSql(level, `coalesce(o.${owner.key}, c.${owner.key})`, `coalesce(o.${time}, c.${time})`);
    return `CASE WHEN o.${time} IS NULL AND c.${estimated} = 0 THEN c.${column} ELSE ${anew} END AS ${column}`;
  });
  // Raw SQL: the names of the relations come from src/rollups/levels.ts. Every response about usage runs this query.
  return sql`
    SELECT ${list([...keys, ...columns.map((column) => `${sum(column)} AS ${column}`), ...found])}
    FROM (SELECT ${list([...primaryKey, ...read, ...stored])} FROM ${sql.table(getClosedHoursRelation(level))} WHERE ${within(time, owner, range)}) c
    FULL JOIN (
      SELECT ${sql.raw(levelKeysSql({ ...level, keys: primaryKey }, source))}, ${list(read.map((column) => `sum(${column})::bigint AS ${column}`))}
      FROM ${sql.table(view)} WHERE ${within(source.time, owner, range)} GROUP BY ${sql.raw(levelKeyOrdinalsSql({ ...level, keys: primaryKey }))}
    ) o USING (${list(keys)})
    WHERE ${sql.raw(sum(COLUMN_BY_MEASURE.coveredMs))} <> 0`;
}
