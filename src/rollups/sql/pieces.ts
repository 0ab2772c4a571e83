import {
  COLUMN_BY_MEASURE,
  findRollupLevel,
  getClosedHoursRelation,
  KNOWN_DATA_COLUMNS,
  MEASURE_COLUMNS,
  type RollupKey,
  type RollupLevel,
} from '../levels.ts';

/** A relation from which a query reads rows: the prefix of its columns, its keys, and its time column. */
export interface RollupSource {
  prefix: string;
  keys: readonly RollupKey[];
  time: RollupKey;
}

/** Returns the source of a query that reads only this level. */
export const createRollupSource = ({ keys, time }: RollupLevel): RollupSource => ({ prefix: '', keys, time });

/** The changes of consumption that a write adds, with the alias `d`. */
export const DELTAS_SOURCE: RollupSource = {
  prefix: 'd.',
  keys: ['device_id', 'user_id', 'starts_at'],
  time: 'starts_at',
};

export const getSourceRollupLevel = ({ above }: RollupLevel): RollupLevel => findRollupLevel(above);

/** Returns the SQL expression for the start of the hour, day or month that contains a time. It differs by the kind of database. */
type BucketExpression = (unit: RollupLevel['unit'], time: string) => string;

const plainBucket: BucketExpression = (unit, time) =>
  unit === 'hour' ? `date_bin('1 hour', ${time}, 'epoch')` : `date_trunc('${unit}', ${time}, 'UTC')`;

/** The expression that continuous aggregates require. The planner can convert a condition on it to a condition on the time itself. */
export const timeBucketSql: BucketExpression = (unit, time) => `time_bucket('1 ${unit}', ${time})`;

export function rollupKeyColumnSql(
  level: RollupLevel,
  key: RollupKey,
  { prefix, keys, time }: RollupSource,
  bucketOf = plainBucket,
): string {
  if (keys.includes(key)) return `${prefix}${key}`;
  if (key === level.time) return bucketOf(level.unit, `${prefix}${time}`);
  if (key === 'hour_of_day') return `extract(hour FROM ${prefix}${time} AT TIME ZONE 'UTC')::smallint`;
  throw new Error(`${level.relation}.${key} cannot be told from ${keys.join(', ')}`);
}

export const rollupKeyColumnsSql = (level: RollupLevel, source: RollupSource, bucketOf = plainBucket): string =>
  level.keys
    .map((key) => {
      const expression = rollupKeyColumnSql(level, key, source, bucketOf);
      return expression === key ? key : `${expression} AS ${key}`;
    })
    .join(', ');

/** Returns `1, 2, …` for GROUP BY and ORDER BY: the positions of the key columns, with which each query of an aggregate begins. */
export const rollupKeyOrdinalsSql = ({ keys }: RollupLevel): string => keys.map((_, index) => index + 1).join(', ');

/** Returns `sum(x)::bigint AS x` for every measure, one per line. */
export const sumsPerMeasureSql = (): string =>
  MEASURE_COLUMNS.map((column) => `  sum(${column})::bigint AS ${column}`).join(',\n');

/** Returns the SQL of the column with a level's peak, computed from the level below. */
export function peakColumnSql({ peak, isView }: RollupLevel): string {
  if (!peak) return '';
  const measure = COLUMN_BY_MEASURE[peak.measure];
  // A view has no stored peak, so it excludes mostly estimated parts itself.
  const isMeasured = isView ? ` AND 2 * ${COLUMN_BY_MEASURE.estimatedMilliwattHours} <= ${measure}` : '';
  return `,\n  (array_agg(${peak.of} ORDER BY ${measure} DESC, ${peak.of}) FILTER (WHERE ${measure} > 0${isMeasured}))[1] AS ${peak.column}`;
}

/** Returns the name of the SQL function that finds the peak of one user's row. */
export const getPeakFunctionName = ({ relation, peak }: RollupLevel): string => `${relation}_${peak?.column}`;

export const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns the SQL condition that the summed rows contain known data. */
export const hasKnownDataSql = (): string => KNOWN_DATA_COLUMNS.map((column) => `sum(${column}) <> 0`).join(' OR ');

export const levelCommentsSql = (level: RollupLevel): string =>
  commentsOn('VIEW', level.relation, level, level.comment);

export const closedHoursCommentsSql = (level: RollupLevel, kind: 'TABLE' | 'VIEW'): string =>
  commentsOn(
    kind,
    getClosedHoursRelation(level),
    level,
    `Closed hours of ${level.relation}: without those that are open in heads.`,
  );

function commentsOn(
  kind: 'TABLE' | 'VIEW',
  relation: string,
  { unit, time, peak }: RollupLevel,
  comment: string,
): string {
  return [
    `COMMENT ON ${kind} ${relation} IS ${quoteLiteral(comment)};`,
    `COMMENT ON COLUMN ${relation}.${time} IS 'Start of the ${unit}, UTC.';`,
    ...(peak ? [`COMMENT ON COLUMN ${relation}.${peak.column} IS ${quoteLiteral(peak.comment)};`] : []),
  ].join('\n');
}
