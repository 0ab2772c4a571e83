import {
  getQuarterHourColumn,
  KNOWN_DATA_COLUMNS,
  MEASURE_COLUMNS,
  PACKED_DAYS_TABLE,
  QUARTER_HOURS_WITH_OWN_COLUMN,
  ROW_TIME_COLUMN,
  STORED_HOURS_TABLE,
} from '../levels.ts';
import { quoteLiteral } from './pieces.ts';

/** Functions that generate the SQL of the two tables with stored consumption: recent hours and packed days. */

export const APPLY_HOURS_FUNCTION = `apply_${STORED_HOURS_TABLE.relation}`;

/** Columns of a stored hour for one measure in one quarter-hour (2 to 4). */
const QUARTER_HOURS = MEASURE_COLUMNS.flatMap((column) =>
  QUARTER_HOURS_WITH_OWN_COLUMN.map((quarter) => ({ column, quarter, name: getQuarterHourColumn(column, quarter) })),
);

const lines = (items: readonly string[], indent: string): string => items.map((item) => indent + item).join(',\n');

/** Returns the SQL of the function that adds changes of consumption, and deletes rows that become empty. */
export function applyHoursFunctionSql(): string {
  const falls = KNOWN_DATA_COLUMNS.map((column) => `d.${column} < 0`).join(' OR ');
  const summed = [
    ...MEASURE_COLUMNS.map((column) => `sum(d.${column})`),
    ...QUARTER_HOURS.map(({ column, quarter }) => `nullif(sum(d.${column}) FILTER (WHERE d.quarter = ${quarter}), 0)`),
  ];
  const added = [
    ...MEASURE_COLUMNS.map((column) => `${column} = t.${column} + excluded.${column}`),
    ...QUARTER_HOURS.map(({ name }) => `${name} = nullif(coalesce(t.${name}, 0) + coalesce(excluded.${name}, 0), 0)`),
  ];
  return `-- Closed hours of the load profile (a table of sql/schema), to which writes add.

CREATE OR REPLACE FUNCTION ${APPLY_HOURS_FUNCTION}(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  noted timestamptz;
BEGIN
  -- In key order, so that two writers that share rows never wait for each other in a circle.
  INSERT INTO ${STORED_HOURS_TABLE.relation} AS t (${[...STORED_HOURS_TABLE.keys, ...MEASURE_COLUMNS].join(', ')},
${lines(
  QUARTER_HOURS.map(({ name }) => name),
  '    ',
)})
  SELECT d.device_id, d.hour, d.user_id,
${lines(summed, '    ')}
  FROM (
    SELECT d.*, date_bin('1 hour', d.starts_at, 'epoch') AS hour, 1 + date_part('minute', d.starts_at AT TIME ZONE 'UTC')::integer / 15 AS quarter
    -- Else both would be computed again for each of the sums.
    FROM unnest(deltas) d OFFSET 0
  ) d
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3
  ON CONFLICT (device_id, starts_at) DO UPDATE SET
${lines(added, '    ')};
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE ${falls}) THEN
${deleteEmptyHoursSql('    ')}
  END IF;
  -- Of what sums of groups may be kept of. Asked for after the first write: a worker that moves the time waits for transactions that have written.
  SELECT noted_before INTO noted FROM group_sums_progress;
  IF noted > '-infinity' THEN
    INSERT INTO changed_home_days (user_id, day)
    SELECT DISTINCT split_part(d.user_id, '/', 1), date_trunc('day', d.starts_at, 'UTC') FROM unnest(deltas) d WHERE d.starts_at < noted;
  END IF;
END
$$;
`;
}

/** Returns the SQL that deletes those changed hours that have become empty. */
export function deleteEmptyHoursSql(indent: string): string {
  return `${indent}-- Empty, and not only unknown: what a row has may be part of what another row knows.
${indent}DELETE FROM ${STORED_HOURS_TABLE.relation} t
${indent}USING (SELECT DISTINCT d.device_id, date_bin('1 hour', d.starts_at, 'epoch') AS starts_at FROM unnest(deltas) d) d
${indent}WHERE t.device_id = d.device_id AND t.starts_at = d.starts_at
${indent}  AND (${MEASURE_COLUMNS.map((column) => `t.${column}`).join(', ')}) = (${MEASURE_COLUMNS.map(() => 0).join(', ')})
${indent}  AND num_nonnulls(${QUARTER_HOURS.map(({ name }) => `t.${name}`).join(', ')}) = 0;`;
}

/** Returns the SQL expression for a measure in a quarter-hour of a stored hour. `place`: index of the quarter-hour, from 0. */
export function quarterHourOfStoredHourSql(column: string, row: string, place: string): string {
  const [first, ...later] = QUARTER_HOURS_WITH_OWN_COLUMN.map(
    (quarter) => `coalesce(${row}.${getQuarterHourColumn(column, quarter)}, 0)`,
  );
  const rest = [first, ...later].map((one) => ` - ${one}`).join('');
  const whens = [first, ...later].map((one, index) => ` WHEN ${index + 1} THEN ${one}`).join('');
  return `CASE ${place} WHEN 0 THEN ${row}.${column}${rest}${whens} END`;
}

/** Returns the SQL expression for a measure in a quarter-hour of a packed day. `place`: index of the quarter-hour, from 0. */
export const quarterHourOfPackedDaySql = (column: string, row: string, place: string): string =>
  `coalesce(${row}.${column}[CASE WHEN cardinality(${row}.${column}) = 1 THEN 1 ELSE ${place} + 1 END], 0)::bigint`;

/**
 * Returns the SQL expression for the sum of a measure in an interval of a packed day. `place`: index of the interval, from 0. `quarters`:
 * its length in quarter-hours.
 */
function sumOfDay(column: string, row: string, place: string, quarters: number): string {
  const array = `${row}.${column}`;
  const [first, ...rest] = Array.from(
    { length: quarters },
    (_, index) => `${array}[${place} * ${quarters} + ${index + 1}]`,
  );
  return `coalesce(CASE WHEN cardinality(${array}) = 1 THEN ${quarters} * ${array}[1]::bigint ELSE ${[`${first}::bigint`, ...rest].join(' + ')} END, 0)`;
}

/** Returns a subquery with the indices of `count` intervals, and the offset of each from the start of the row. */
const places = (count: number, length: string): string =>
  `(SELECT place, place * interval '${length}' AS after FROM generate_series(0, ${count - 1}) place OFFSET 0)`;

const measures = (of: (column: string) => string, columns = MEASURE_COLUMNS): string =>
  lines(
    columns.map((column) => `${of(column)} AS ${column}`),
    '  ',
  );

/** Returns a query for the quarter-hours of stored hours. A quarter-hour may have several rows. */
export const storedQuarterHoursSql = (
  columns = MEASURE_COLUMNS,
): string => `SELECT h.device_id, h.starts_at + q.after AS starts_at, h.user_id,
${measures((column) => quarterHourOfStoredHourSql(column, 'h', 'q.place'), columns)},
  h.starts_at AS ${ROW_TIME_COLUMN}
FROM ${STORED_HOURS_TABLE.relation} h CROSS JOIN ${places(4, '15 minutes')} q`;

/** Returns a query for some measures of stored hours. An hour may have several rows. */
export const storedHoursSql = (
  columns = MEASURE_COLUMNS,
): string => `SELECT h.device_id, date_bin('1 hour', h.starts_at, 'epoch') AS hour, h.user_id,
${measures((column) => `h.${column}`, columns)},
  h.starts_at AS ${ROW_TIME_COLUMN}
FROM ${STORED_HOURS_TABLE.relation} h`;

/** Returns a query for some measures of packed days: one row per interval of 15, 30 or 60 minutes. */
export function packedDayIntervalsSql(minutes: 15 | 30 | 60, columns = MEASURE_COLUMNS): string {
  const quarters = minutes / 15;
  const of = (column: string) =>
    quarters === 1 ? quarterHourOfPackedDaySql(column, 'd', 'q.place') : sumOfDay(column, 'd', 'q.place', quarters);
  return `SELECT d.device_id, d.day + q.after AS ${minutes === 60 ? 'hour' : 'starts_at'}, d.user_id,
${measures(of, columns)},
  d.day AS ${ROW_TIME_COLUMN}
FROM ${PACKED_DAYS_TABLE.relation} d CROSS JOIN ${places(96 / quarters, minutes === 60 ? '1 hour' : `${minutes} minutes`)} q`;
}

export const closedHourViewsSql =
  (): string => `-- What is closed of devices' quarter-hours and hours, in stored hours and packed days. A quarter-hour or hour may have rows in
-- both, and several: whoever reads them adds them up, and bounds ${ROW_TIME_COLUMN}, too, which an index has: what is asked from a
-- time on is in rows that begin less than a day before it.
CREATE OR REPLACE VIEW closed_device_intervals AS
${storedQuarterHoursSql()}
UNION ALL
${packedDayIntervalsSql(15)};
${commentsOnClosed('closed_device_intervals', 'device_intervals', 'starts_at', 'quarter-hour')}

CREATE OR REPLACE VIEW closed_device_hourly AS
${storedHoursSql()}
UNION ALL
${packedDayIntervalsSql(60)};
${commentsOnClosed('closed_device_hourly', 'device_hourly', 'hour', 'hour')}
`;

function commentsOnClosed(view: string, level: string, time: string, unit: string): string {
  const says = `Closed hours of ${level}: without those that are open in heads. To be added up: of one ${unit} there may be several rows.`;
  return `COMMENT ON VIEW ${view} IS ${quoteLiteral(says)};
COMMENT ON COLUMN ${view}.${time} IS 'Start of the ${unit}, UTC.';
COMMENT ON COLUMN ${view}.${ROW_TIME_COLUMN} IS 'Start of the stored hour or packed day that it is part of: bound it, too, where rows of a time are asked for.';`;
}
