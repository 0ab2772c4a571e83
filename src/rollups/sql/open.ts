import { COLUMN, LEVELS, type Level, LOAD_PROFILE, MEASURE_COLUMNS } from '../levels.ts';
import { partsOf, peakAmongParts } from '../parts.ts';
import {
  comments,
  keysAs,
  levelBelow,
  ordinals,
  peakFunctionOf,
  peakOf,
  somethingKnown,
  sourceOf,
  sums,
} from './pieces.ts';

/**
 * Levels as everybody reads them, on every tier: what is stored of closed hours, and the open hours of the heads. Rows of
 * both are added up, so that it does not matter in which of the two a difference is.
 */

/** Quarter-hours of an open hour. */
const PER_HOUR = 4;
/**
 * Places among the numbers of `device_heads.open` (ingest/write/open-hour.ts), from 1: the hour, of each measure its sum, and of
 * each its quarter-hours.
 */
const PLACE = {
  hour: 1,
  sum: (measure: number) => 2 + measure,
  quarters: (measure: number) => 2 + MEASURE_COLUMNS.length + measure * PER_HOUR,
};
/** One of them alone: an answer asks for few, and to make all of them numbers took four times as long. */
const numberAt = (place: string | number): string => `split_part(h.open, ',', ${place})::bigint`;

/** The two views of open hours. */
export const openHours = (): string => `-- A device's open hour is in its head, until a later one begins.
CREATE OR REPLACE VIEW open_hours AS
SELECT h.device_id, h.user_id, to_timestamp(${numberAt(PLACE.hour)} * 3600) AS hour,
${MEASURE_COLUMNS.map((column, index) => `  ${numberAt(PLACE.sum(index))} AS ${column}`).join(',\n')}
FROM device_heads h
WHERE h.open IS NOT NULL;
COMMENT ON VIEW open_hours IS 'The open hour of each device, as far as it is known.';

CREATE OR REPLACE VIEW open_quarter_hours AS
SELECT h.device_id, h.user_id, to_timestamp(${numberAt(PLACE.hour)} * 3600 + q.place * 900) AS starts_at,
${MEASURE_COLUMNS.map((column, index) => `  ${numberAt(`${PLACE.quarters(index)} + q.place`)} AS ${column}`).join(',\n')}
FROM device_heads h CROSS JOIN generate_series(0, ${PER_HOUR - 1}) q (place)
WHERE h.open IS NOT NULL;
COMMENT ON VIEW open_quarter_hours IS 'The quarter-hours of open hours.';
`;

export const publicViews = (): string => [LOAD_PROFILE, ...LEVELS].map(publicView).join('\n');

function publicView(level: Level): string {
  const body = level.isView ? summed(level, levelBelow(level).relation, peakOf(level)) : closedAndOpen(level);
  return `${body}
${comments(level)}
`;
}

function summed(level: Level, from: string, peak: string): string {
  const source = level.isView ? levelBelow(level) : level;
  return `CREATE OR REPLACE VIEW ${level.relation} AS
SELECT ${keysAs(level, sourceOf(source))},
${sums()}${peak}
FROM ${from}
GROUP BY ${ordinals(level)}
HAVING ${somethingKnown()};`;
}

/**
 * Of a level with a peak the bucket's own is found anew where an hour of it is open, or anything of it was estimated; the others' are as stored. By a function,
 * of which a session keeps the plan: within the view it would take longer to plan than to run.
 */
function closedAndOpen(level: Level): string {
  const { keys, peak } = level;
  if (!peak) return summed(level, `${partsOf(level, MEASURE_COLUMNS)} parts`, '');
  const parts = partsOf(level, MEASURE_COLUMNS, { closed: `, ${peak.column}, false AS is_open`, open: ', NULL, true' });
  const found = `CASE WHEN bool_or(is_open) OR sum(${COLUMN.estimatedMilliwattHours}) > 0 THEN ${peakFunctionOf(level)}(${keys.join(', ')}) ELSE max(${peak.column}) END`;
  return `${peakFunction(level)}

${summed(level, `${parts} parts`, `,\n  ${found} AS ${peak.column}`)}`;
}

function peakFunction(level: Level): string {
  return `CREATE OR REPLACE FUNCTION ${peakFunctionOf(level)}(whose text, since timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ${peakAmongParts(level, 'whose', 'since')};
END
$$;`;
}

/** What the refresh does before the border passes open hours: on the other side they would be late differences. */
export function closingOpenHours(): string {
  const quarters = MEASURE_COLUMNS.map((column) => `q.${column}`).join(', ');
  return `-- Closes open hours before a time, of \`most\` devices after one of them: differences to days that are materialised are not seen
-- until the refresh has them in, and hours that were seen all along must not vanish for so long. A device that is being written
-- is left to its writer. Returns the last device, or null where none was left.
CREATE OR REPLACE FUNCTION close_open_hours(before_at timestamptz, after_id text, most integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  silent text[];
BEGIN
  silent := ARRAY(SELECT h.device_id FROM device_heads h
    WHERE h.device_id > after_id AND ${numberAt(PLACE.hour)} < extract(epoch FROM before_at) / 3600
    ORDER BY h.device_id LIMIT most FOR NO KEY UPDATE SKIP LOCKED);
  PERFORM apply_interval_deltas(array_agg(ROW (q.device_id, q.user_id, q.starts_at, ${quarters})::interval_delta))
  FROM open_quarter_hours q WHERE q.device_id = ANY (silent) AND (${quarters}) <> (${MEASURE_COLUMNS.map(() => 0).join(', ')}) HAVING count(*) > 0;
  UPDATE device_heads SET open = NULL, version = new_version() WHERE device_id = ANY (silent);
  RETURN silent[cardinality(silent)];
END
$$;
`;
}
