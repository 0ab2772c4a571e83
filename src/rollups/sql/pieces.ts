import { COLUMN, type Key, KNOWLEDGE_COLUMNS, type Level, levelOf, MEASURE_COLUMNS, storedOf } from '../levels.ts';

/** Where a level is read from: a relation (or an alias before its columns), the keys it has, and its time. */
export interface Source {
  prefix: string;
  keys: readonly Key[];
  time: Key;
}

/** A level, of which columns are read without an alias. */
export const sourceOf = ({ keys, time }: Level): Source => ({ prefix: '', keys, time });

/** The differences of a write, as `d`. */
export const DELTAS: Source = { prefix: 'd.', keys: ['device_id', 'user_id', 'starts_at'], time: 'starts_at' };

/** The level that another one stands on. */
export const levelBelow = ({ above }: Level): Level => levelOf(above);

/** How a tier tells the start of the bucket that a time lies in. */
export type BucketOf = (unit: Level['unit'], time: string) => string;

const plainBucket: BucketOf = (unit, time) =>
  unit === 'hour' ? `date_bin('1 hour', ${time}, 'epoch')` : `date_trunc('${unit}', ${time}, 'UTC')`;

/** What continuous aggregates want; the planner turns a bound on it into one on the time beneath. */
export const timeBucket: BucketOf = (unit, time) => `time_bucket('1 ${unit}', ${time})`;

/** A key of a level in terms of what it is computed from. */
export function keyFrom(level: Level, key: Key, { prefix, keys, time }: Source, bucketOf = plainBucket): string {
  if (keys.includes(key)) return `${prefix}${key}`;
  if (key === level.time) return bucketOf(level.unit, `${prefix}${time}`);
  if (key === 'hour_of_day') return `extract(hour FROM ${prefix}${time} AT TIME ZONE 'UTC')::smallint`;
  throw new Error(`${level.relation}.${key} cannot be told from ${keys.join(', ')}`);
}

/** `expression AS key` for every key of a level. */
export const keysAs = (level: Level, source: Source, bucketOf = plainBucket): string =>
  level.keys
    .map((key) => {
      const expression = keyFrom(level, key, source, bucketOf);
      return expression === key ? key : `${expression} AS ${key}`;
    })
    .join(', ');

/** `1, 2, …` for the keys of a level, which every query of it begins with. */
export const ordinals = ({ keys }: Level): string => keys.map((_, index) => index + 1).join(', ');

/** `sum(x)::bigint AS x` for every measure, a line each. */
export const sums = (): string => MEASURE_COLUMNS.map((column) => `  sum(${column})::bigint AS ${column}`).join(',\n');

/** The peak of a level from the parts beneath it, as a last column. */
export function peakOf({ peak, isView }: Level): string {
  if (!peak) return '';
  const measure = COLUMN[peak.measure];
  // What is stored of a peak is asked again where anything was estimated (parts.ts); what is not stored is asked for here.
  const isMeasured = isView ? ` AND 2 * ${COLUMN.estimatedMilliwattHours} <= ${measure}` : '';
  return `,\n  (array_agg(${peak.of} ORDER BY ${measure} DESC, ${peak.of}) FILTER (WHERE ${measure} > 0${isMeasured}))[1] AS ${peak.column}`;
}

/** Name of the function that finds the peak of one user's bucket in the open and closed hours of the level beneath. */
export const peakFunctionOf = ({ relation, peak }: Level): string => `${relation}_${peak?.column}`;

/** A text as a literal. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Something is known, of rows that are summed: one may take back what another has. */
export const somethingKnown = (): string => KNOWLEDGE_COLUMNS.map((column) => `sum(${column}) <> 0`).join(' OR ');

/** What a person finds who asks the database about a level. */
export const comments = (level: Level): string => commentsOn('VIEW', level.relation, level, level.comment);

/** And about what is stored of it. */
export const commentsOnStored = (level: Level, kind: 'TABLE' | 'VIEW'): string =>
  commentsOn(kind, storedOf(level), level, `Closed hours of ${level.relation}: without those that are open in heads.`);

function commentsOn(kind: 'TABLE' | 'VIEW', relation: string, { unit, time, peak }: Level, comment: string): string {
  return [
    `COMMENT ON ${kind} ${relation} IS ${quoted(comment)};`,
    `COMMENT ON COLUMN ${relation}.${time} IS 'Start of the ${unit}, UTC.';`,
    ...(peak ? [`COMMENT ON COLUMN ${relation}.${peak.column} IS ${quoted(peak.comment)};`] : []),
  ].join('\n');
}
