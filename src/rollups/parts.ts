import { type RawBuilder, sql } from 'kysely';
import { COLUMN, type Key, type Level, LOAD_PROFILE, type Measure, storedOf } from './levels.ts';
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

/** The peak of one user's bucket, from the parts beneath, as a subquery: the highest, the earliest of equals. */
export function peakAmongParts(level: Level, whose: string, since: string): string {
  const { peak } = level;
  if (!peak) throw new Error(`${level.relation} has no peak`);
  const below = levelBelow(level);
  const column = COLUMN[peak.measure];
  return `(SELECT b.${peak.of} FROM ${partsOf(below, [column])} b
    WHERE b.user_id = ${whose} AND b.${below.time} >= ${since} AND b.${below.time} < ${since} + interval '24 hours'
    GROUP BY 1 HAVING sum(b.${column}) > 0 ORDER BY sum(b.${column}) DESC, b.${peak.of} LIMIT 1)`;
}

/** Of whom rows are asked. */
export interface Owner {
  key: 'user_id' | 'device_id';
  id: string;
}

/**
 * A level's rows of one user or device in `[from, to)`, bounds of its buckets, as far as something is known of their import:
 * the other keys, the columns of the measures and, where it has one, the peak. A join, since few rows are open: grouping would
 * touch all others. What is known is never less than nothing, but `> 0` would make the planner take two thirds of the rows for
 * unknown, and sort what it groups above them.
 */
export function addedUp(
  level: Level,
  { key, id }: Owner,
  { from, to }: { from: Date; to: Date },
  measures: readonly Measure[],
): RawBuilder<unknown> {
  const { view, source } = openOf(level);
  const keys = level.primaryKey.filter((one) => one !== key);
  const columns = measures.map((measure) => COLUMN[measure]);
  const read = [...columns, COLUMN.coveredMs];
  const raw = (parts: readonly string[]) => sql.raw(parts.join(', '));
  const sum = (column: string) => `coalesce(c.${column}, 0) + coalesce(o.${column}, 0)`;
  const within = (time: Key) =>
    sql`${sql.ref(key)} = ${id} AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;
  const { peak, primaryKey, time } = level;
  const stored = peak ? [peak.column] : [];
  // The stored peak is that of the closed hours alone.
  const found = stored.map((column) => {
    const anew = peakAmongParts(level, `o.${key}`, `o.${time}`);
    return `CASE WHEN o.${time} IS NULL THEN c.${column} ELSE ${anew} END AS ${column}`;
  });
  // Raw SQL: the hot path of every answer about usage; relations are named out of src/rollups/levels.ts.
  return sql`
    SELECT ${raw([...keys, ...columns.map((column) => `${sum(column)} AS ${column}`), ...found])}
    FROM (SELECT ${raw([...keys, ...read, ...stored])} FROM ${sql.table(storedOf(level))} WHERE ${within(time)}) c
    FULL JOIN (
      SELECT ${sql.raw(keysAs({ ...level, keys: primaryKey }, source))}, ${raw(read.map((column) => `sum(${column})::bigint AS ${column}`))}
      FROM ${sql.table(view)} WHERE ${within(source.time)} GROUP BY ${sql.raw(ordinals({ ...level, keys: primaryKey }))}
    ) o USING (${raw(keys)})
    WHERE ${sql.raw(sum(COLUMN.coveredMs))} <> 0`;
}
