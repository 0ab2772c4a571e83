import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '#src/core/units.ts';
import { COLUMN, type Key, type Level, LOAD_PROFILE, levelOf, type Measure, ROW_TIME, storedOf } from './levels.ts';
import { packedPieces, storedHours, storedQuarters } from './sql/hours.ts';
import { keysAs, levelBelow, ordinals, type Source } from './sql/pieces.ts';

/**
 * How closed and open hours are put together: a row of a level is what both have of it, added up, since a difference may be in
 * either. The public views are made of this, for people; the service asks for less and faster here. Always in one statement:
 * an hour that closed between two would count twice or not at all.
 */

/** Where the open hours of a level are, by its keys: views of the heads. */
const openOf = (level: Level): { view: string; source: Source } =>
  level === LOAD_PROFILE
    ? {
        view: 'open_quarter_hours',
        source: { prefix: '', keys: ['device_id', 'user_id', 'starts_at'], time: 'starts_at' },
      }
    : { view: 'open_hours', source: { prefix: '', keys: ['device_id', 'user_id', 'hour'], time: 'hour' } };

/**
 * The parts of a level's rows as a subquery, for what sums them anyway: its keys, then columns that both have, then what only one
 * of them says. Some rows have two or more.
 */
export function partsOf(level: Level, columns: readonly string[], only = { closed: '', open: '' }): string {
  const { view, source } = openOf(level);
  const both = columns.join(', ');
  return `(
  SELECT ${level.keys.join(', ')}, ${both}${only.closed} FROM ${storedOf(level)}
  UNION ALL
  SELECT ${keysAs(level, source)}, ${both}${only.open} FROM ${view}
)`;
}

/**
 * The same of a level of devices from one SQL expression to another, for a subquery whose FROM has them: what is closed is then
 * found by an index, wherever it is stored.
 */
export function devicePartsBetween(
  level: Level,
  columns: readonly string[],
  { from, to }: { from: string; to: string },
): string {
  const { view, source } = openOf(level);
  const both = columns.join(', ');
  const within = (time: string) => `${time} >= ${from} AND ${time} < ${to}`;
  return `(
  SELECT ${level.keys.join(', ')}, ${both} FROM ${storedOf(level)}
  WHERE ${within(level.time)} AND ${ROW_TIME} > ${from} - interval '24 hours' AND ${ROW_TIME} < ${to}
  UNION ALL
  SELECT ${keysAs(level, source)}, ${both} FROM ${view} WHERE ${within(source.time)}
)`;
}

/**
 * The peak of one user's bucket, from the parts beneath, as a subquery: the highest that is mostly measured, the earliest of equals. (What is
 * stored knows nothing of what was estimated: it holds where nothing was.)
 */
export function peakAmongParts(level: Level, whose: string, since: string): string {
  const { peak } = level;
  if (!peak) throw new Error(`${level.relation} has no peak`);
  const below = levelBelow(level);
  const [column, estimated] = [COLUMN[peak.measure], COLUMN.estimatedMilliwattHours];
  return `(SELECT b.${peak.of} FROM ${partsOf(below, [column, estimated])} b
    WHERE b.user_id = ${whose} AND b.${below.time} >= ${since} AND b.${below.time} < ${since} + interval '24 hours'
    GROUP BY 1 HAVING sum(b.${column}) > 0 AND 2 * sum(b.${estimated}) <= sum(b.${column}) ORDER BY sum(b.${column}) DESC, b.${peak.of} LIMIT 1)`;
}

/** Of whom rows are asked. */
export interface Owner {
  key: 'user_id' | 'device_id';
  id: string;
}

/**
 * The parts of one user's or device's rows in `[from, to)`, as a subquery: its keys and columns. `rows`: starts of the only stored
 * hours and packed days that are wanted of the stretch.
 */
export function partsWithin(
  level: Level,
  owner: Owner,
  range: Stretch,
  columns: readonly string[],
  rows?: readonly Date[],
): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const both = columns.join(', ');
  // Raw SQL: the hot path of every answer about usage; relations are named out of src/rollups/levels.ts.
  return sql`(
    SELECT ${sql.raw(`${level.keys.join(', ')}, ${both}`)} FROM ${sql.table(storedOf(level))} WHERE ${within(level.time, owner, range)} ${rowsWithin(level, range, rows)}
    UNION ALL
    SELECT ${sql.raw(`${keysAs(level, source)}, ${both}`)} FROM ${sql.table(view)} WHERE ${within(source.time, owner, range)}
  )`;
}

/** Several of one kind. */
export interface Owners {
  key: Owner['key'];
  ids: readonly string[];
}

/**
 * The load profile of several users or devices in `[from, to)`, each by itself, in pieces of so many minutes: `who`, `at` (where the piece begins) and the
 * columns. Of 60 minutes users have rows of their own, summed over their devices. Half hours are half as many rows to group as quarter-hours. A piece may
 * have several rows.
 */
export function piecesOfEach(
  { key, ids }: Owners,
  { from, to }: Stretch,
  minutes: 15 | 30 | 60,
  columns: readonly string[],
): RawBuilder<unknown> {
  const level = minutes === 60 ? levelOf(key === 'user_id' ? 'user_hourly' : 'device_hourly') : LOAD_PROFILE;
  const { view, source } = openOf(level);
  const only = (time: Key) =>
    sql`${sql.ref(key)} = ANY (${ids}::text[]) AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;
  // A difference to a quarter-hour belongs to what it differs from: alone it would be of a piece of which nothing is known.
  const at = minutes === 30 ? "date_bin('30 minutes', starts_at, 'epoch')" : level.time;
  const read = (start: string) => sql.raw([`${key} AS who`, `${start} AS at`, ...columns].join(', '));
  const closed = (start: string, part: string) =>
    sql`SELECT ${read(start)} FROM (${sql.raw(part)}) c WHERE ${only(level.time)} ${rowsWithin(level, { from, to })}`;
  // Raw SQL: the hot path of every answer about a home; relations are named out of src/rollups/levels.ts.
  const parts = level.isOfDevice
    ? [
        closed(level.time, packedPieces(minutes, columns)),
        closed(at, minutes === 60 ? storedHours(columns) : storedQuarters(columns)),
      ]
    : [sql`SELECT ${read(level.time)} FROM ${sql.table(storedOf(level))} WHERE ${only(level.time)}`];
  const open = sql`SELECT ${read(minutes === 60 ? source.time : at)} FROM ${sql.table(view)} WHERE ${only(source.time)}`;
  return sql.join([...parts, open], sql` UNION ALL `);
}

/** The parts of a level's rows of several users in `[from, to)`: its keys but for the user, and the columns. A bucket has many rows. */
export function partsOfUsers(
  level: Level,
  ids: readonly string[],
  { from, to }: Stretch,
  columns: readonly string[],
): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const keys = level.keys.filter((key) => key !== 'user_id');
  const only = (time: Key) =>
    sql`user_id = ANY (${ids}::text[]) AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;
  return sql`
    SELECT ${list([...keys, ...columns])} FROM ${sql.table(storedOf(level))} WHERE ${only(level.time)}
    UNION ALL
    SELECT ${list([keysAs({ ...level, keys }, source), ...columns])} FROM ${sql.table(view)} WHERE ${only(source.time)}`;
}

/** A stretch of time, bounds of a level's buckets. */
interface Stretch {
  from: Date;
  to: Date;
}

const within = (time: Key, { key, id }: Owner, { from, to }: Stretch): RawBuilder<unknown> =>
  sql`${sql.ref(key)} = ${id} AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;

/** Of hours and days as they are stored, those that may have something of a stretch. */
function rowsWithin({ isOfDevice }: Level, { from, to }: Stretch, rows?: readonly Date[]): RawBuilder<unknown> {
  if (!isOfDevice) return sql``;
  const time = sql.ref(ROW_TIME);
  if (rows) return sql`AND ${time} = ANY (${rows}::timestamptz[])`;
  return sql`AND ${time} > ${new Date(from.getTime() - DAY_MS)} AND ${time} < ${to}`;
}

/**
 * A level's rows of one user or device in `[from, to)`, bounds of its buckets, as far as something is known of their import:
 * the other keys, the columns of the measures and, where it has one, the peak. What is known is never less than nothing, but `> 0`
 * would make the planner take two thirds of the rows for unknown, and sort what it groups above them.
 */
export function addedUp(level: Level, owner: Owner, range: Stretch, measures: readonly Measure[]): RawBuilder<unknown> {
  const columns = measures.map((measure) => COLUMN[measure]);
  const keys = level.primaryKey.filter((one) => one !== owner.key);
  return (level.isOfDevice ? withPacked : joined)(level, owner, range, { keys, columns });
}

interface Wanted {
  keys: readonly Key[];
  columns: readonly string[];
}

const list = (items: readonly string[]) => sql.raw(items.join(', '));

/**
 * Hours of devices: those of packed days have one row each, so only the stored and open ones are grouped, which are few where days
 * are packed: a sum for each hour of a year would take longer than reading them.
 */
function withPacked(level: Level, owner: Owner, range: Stretch, { keys, columns }: Wanted): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const read = [...columns, COLUMN.coveredMs];
  const both = list([...keys, ...read]);
  const sum = (column: string) => `coalesce(p.${column}, 0) + coalesce(s.${column}, 0)`;
  const closed = (part: string) =>
    sql`SELECT ${both} FROM (${sql.raw(part)}) c WHERE ${within(level.time, owner, range)} ${rowsWithin(level, range)}`;
  return sql`
    SELECT ${list([...keys, ...columns.map((column) => `${sum(column)} AS ${column}`)])}
    FROM (${closed(packedPieces(60, read))}) p
    FULL JOIN (
      SELECT ${list([...keys, ...read.map((column) => `sum(${column})::bigint AS ${column}`)])}
      FROM (${closed(storedHours(read))} UNION ALL SELECT ${both} FROM ${sql.table(view)} WHERE ${within(source.time, owner, range)}) parts
      GROUP BY ${list(keys)}
    ) s USING (${list(keys)})
    WHERE ${sql.raw(sum(COLUMN.coveredMs))} <> 0`;
}

/** Of users: a join, since few rows are open: grouping would touch all others. */
function joined(level: Level, owner: Owner, range: Stretch, { keys, columns }: Wanted): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const { peak, primaryKey, time } = level;
  const estimated = COLUMN.estimatedMilliwattHours;
  const read = [...new Set([...columns, COLUMN.coveredMs, ...(peak ? [estimated] : [])])];
  const sum = (column: string) => `coalesce(c.${column}, 0) + coalesce(o.${column}, 0)`;
  const stored = peak ? [peak.column] : [];
  // The stored peak is that of the closed hours alone, whatever was estimated of them.
  const found = stored.map((column) => {
    const anew = peakAmongParts(level, `coalesce(o.${owner.key}, c.${owner.key})`, `coalesce(o.${time}, c.${time})`);
    return `CASE WHEN o.${time} IS NULL AND c.${estimated} = 0 THEN c.${column} ELSE ${anew} END AS ${column}`;
  });
  // Raw SQL: the hot path of every answer about usage; relations are named out of src/rollups/levels.ts.
  return sql`
    SELECT ${list([...keys, ...columns.map((column) => `${sum(column)} AS ${column}`), ...found])}
    FROM (SELECT ${list([...primaryKey, ...read, ...stored])} FROM ${sql.table(storedOf(level))} WHERE ${within(time, owner, range)}) c
    FULL JOIN (
      SELECT ${sql.raw(keysAs({ ...level, keys: primaryKey }, source))}, ${list(read.map((column) => `sum(${column})::bigint AS ${column}`))}
      FROM ${sql.table(view)} WHERE ${within(source.time, owner, range)} GROUP BY ${sql.raw(ordinals({ ...level, keys: primaryKey }))}
    ) o USING (${list(keys)})
    WHERE ${sql.raw(sum(COLUMN.coveredMs))} <> 0`;
}
