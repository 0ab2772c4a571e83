import { bucketPeakSql, closedAndOpenHourRowsSql } from '../level-queries.ts';
import { COLUMN_BY_MEASURE, LOAD_PROFILE_LEVEL, MEASURE_COLUMNS, ROLLUP_LEVELS, type RollupLevel } from '../levels.ts';
import {
  createRollupSource,
  getPeakFunctionName,
  getSourceRollupLevel,
  hasKnownDataSql,
  levelCommentsSql,
  peakColumnSql,
  rollupKeyColumnsSql,
  rollupKeyOrdinalsSql,
  sumsPerMeasureSql,
} from './pieces.ts';

/**
 * Functions that generate the SQL of the public views, which add up stored hours and the latest hour of each device (in its row of
 * `device_heads`).
 */

const PER_HOUR = 4;
/** Positions (from 1) in the list of numbers in `device_heads.open`. */
const PLACE = {
  hour: 1,
  sum: (measure: number) => 2 + measure,
  quarters: (measure: number) => 2 + MEASURE_COLUMNS.length + measure * PER_HOUR,
};
/** SQL expression for the latest hour of a device; null if there is none. */
const HOUR = `split_part(h.open, ',', ${PLACE.hour})::bigint`;
/** Returns the SQL expression for one number of the list, 0 if it is omitted. Converting the whole list took four times as long. */
const numberAt = (place: string | number): string =>
  `coalesce(nullif(split_part(h.open, ',', ${place}), ''), '0')::bigint`;

export const openHourViewsSql = (): string => `-- A device's open hour is in its head, until a later one begins.
CREATE OR REPLACE VIEW open_hours AS
SELECT h.device_id, h.user_id, to_timestamp(${HOUR} * 3600) AS hour,
${MEASURE_COLUMNS.map((column, index) => `  ${numberAt(PLACE.sum(index))} AS ${column}`).join(',\n')}
FROM device_heads h
WHERE h.open IS NOT NULL;
COMMENT ON VIEW open_hours IS 'The open hour of each device, as far as it is known.';

CREATE OR REPLACE VIEW open_quarter_hours AS
SELECT h.device_id, h.user_id, to_timestamp(${HOUR} * 3600 + q.place * 900) AS starts_at,
${MEASURE_COLUMNS.map((column, index) => `  ${numberAt(`${PLACE.quarters(index)} + q.place`)} AS ${column}`).join(',\n')}
FROM device_heads h CROSS JOIN generate_series(0, ${PER_HOUR - 1}) q (place)
WHERE h.open IS NOT NULL;
COMMENT ON VIEW open_quarter_hours IS 'The quarter-hours of open hours.';
`;

export const publicViewsSql = (): string => [LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS].map(publicView).join('\n');

function publicView(level: RollupLevel): string {
  const body = level.isView
    ? summed(level, getSourceRollupLevel(level).relation, peakColumnSql(level))
    : closedAndOpen(level);
  return `${body}
${levelCommentsSql(level)}
`;
}

function summed(level: RollupLevel, from: string, peak: string): string {
  const source = level.isView ? getSourceRollupLevel(level) : level;
  return `CREATE OR REPLACE VIEW ${level.relation} AS
SELECT ${rollupKeyColumnsSql(level, createRollupSource(source))},
${sumsPerMeasureSql()}${peak}
FROM ${from}
GROUP BY ${rollupKeyOrdinalsSql(level)}
HAVING ${hasKnownDataSql()};`;
}

/**
 * Returns the SQL of a level's public view. If a row has a latest hour or estimated energy, a function recomputes its peak. The computation
 * is not part of the view, because planning it would take longer than running it.
 */
function closedAndOpen(level: RollupLevel): string {
  const { keys, peak } = level;
  if (!peak) return summed(level, `${closedAndOpenHourRowsSql(level, MEASURE_COLUMNS)} parts`, '');
  const parts = closedAndOpenHourRowsSql(level, MEASURE_COLUMNS, {
    closed: `, ${peak.column}, false AS is_open`,
    open: ', NULL, true',
  });
  const found = `CASE WHEN bool_or(is_open) OR sum(${COLUMN_BY_MEASURE.estimatedMilliwattHours}) > 0 THEN ${getPeakFunctionName(level)}(${keys.join(', ')}) ELSE max(${peak.column}) END`;
  return `${peakFunction(level)}

${summed(level, `${parts} parts`, `,\n  ${found} AS ${peak.column}`)}`;
}

function peakFunction(level: RollupLevel): string {
  return `CREATE OR REPLACE FUNCTION ${getPeakFunctionName(level)}(whose text, since timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ${bucketPeakSql(level, 'whose', 'since')};
END
$$;`;
}

/** Returns the SQL of the function that moves the latest hours of devices before a time to the stored consumption. */
export function closeOpenHoursFunctionSql(): string {
  const quarters = MEASURE_COLUMNS.map((column) => `q.${column}`).join(', ');
  return `-- Closes open hours before a time, of \`most\` devices after one of them: differences to days that are materialised are not seen
-- until the refresh has them in, and hours that were seen all along must not vanish for so long. A device that is being written
-- is left to its writer. Returns the last device, or null where none was left.
CREATE OR REPLACE FUNCTION close_open_hours(before_at timestamptz, after_id text, most integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  silent text[];
BEGIN
  silent := ARRAY(SELECT h.device_id FROM device_heads h
    WHERE h.device_id > after_id AND ${HOUR} < extract(epoch FROM before_at) / 3600
    ORDER BY h.device_id LIMIT most FOR NO KEY UPDATE SKIP LOCKED);
  PERFORM apply_interval_deltas(array_agg(ROW (q.device_id, q.user_id, q.starts_at, ${quarters})::interval_delta))
  FROM open_quarter_hours q WHERE q.device_id = ANY (silent) AND (${quarters}) <> (${MEASURE_COLUMNS.map(() => 0).join(', ')}) HAVING count(*) > 0;
  UPDATE device_heads SET open = NULL, version = new_version() WHERE device_id = ANY (silent);
  RETURN silent[cardinality(silent)];
END
$$;
`;
}
