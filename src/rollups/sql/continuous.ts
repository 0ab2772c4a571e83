import {
  COLUMN_BY_MEASURE,
  getClosedHoursRelation,
  MEASURE_COLUMNS,
  type RollupLevel,
  STORED_HOURS_TABLE,
} from '../levels.ts';
import { APPLY_HOURS_FUNCTION, deleteEmptyHoursSql } from './hours.ts';
import {
  closedHoursCommentsSql,
  createRollupSource,
  getSourceRollupLevel,
  rollupKeyColumnsSql,
  rollupKeyOrdinalsSql,
  sumsPerMeasureSql,
  timeBucketSql,
} from './pieces.ts';

/** Returns the SQL of a real-time continuous aggregate: for recent data, a query reads the level below. */
export function continuousAggregateSql(level: RollupLevel): string {
  const below = getSourceRollupLevel(level);
  const [source, relation] = below.isOfDevice
    ? [{ prefix: '', keys: STORED_HOURS_TABLE.keys, time: STORED_HOURS_TABLE.time }, STORED_HOURS_TABLE.relation]
    : [createRollupSource(below), getClosedHoursRelation(below)];
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${getClosedHoursRelation(level)} WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
SELECT ${rollupKeyColumnsSql(level, source, timeBucketSql)},
${sumsPerMeasureSql()}${lastOfPeak(level)}
FROM ${relation}
GROUP BY ${rollupKeyOrdinalsSql(level)} WITH NO DATA;
${closedHoursCommentsSql(level, 'VIEW')}
`;
}

/**
 * Returns the SQL of the peak's column: the hour with the greatest key. If several hours have the same energy, the earliest must win, so an
 * earlier hour gets a slightly greater key.
 */
function lastOfPeak({ peak }: RollupLevel): string {
  if (!peak) return '';
  const measure = COLUMN_BY_MEASURE[peak.measure];
  const key = `${measure} * 32 + 23 - extract(hour FROM ${peak.of} AT TIME ZONE 'UTC')::bigint`;
  return `,\n  last(${peak.of}, ${key}) FILTER (WHERE ${measure} > 0) AS ${peak.column}`;
}

/** Returns the SQL of a view that sums the hours of one user by month. */
export function monthsViewSql(level: RollupLevel): string {
  const below = getSourceRollupLevel(level);
  return `-- time_bucket and not date_trunc: the planner turns a bound on the month into one on the hour.
CREATE OR REPLACE VIEW ${getClosedHoursRelation(level)} AS
SELECT ${rollupKeyColumnsSql(level, createRollupSource(below), timeBucketSql)},
${sumsPerMeasureSql()}
FROM ${getClosedHoursRelation(below)}
GROUP BY ${rollupKeyOrdinalsSql(level)};
${closedHoursCommentsSql(level, 'VIEW')}
`;
}

const KEYS = ['device_id', 'user_id', 'starts_at'];
/** Returns a query for the first device after `id` that has late changes of the day `which`. */
const waitingAfter = (id: string): string =>
  `SELECT l.device_id FROM late_deltas l WHERE l.day = which AND l.device_id > ${id} ORDER BY 1 LIMIT 1`;

/** Returns the SQL of the functions that write changes of consumption and add late changes. */
export function applyChangesFunctionsSql(): string {
  const columns = [...KEYS, ...MEASURE_COLUMNS];
  return `-- The one door of the ingest transaction. Differences to recent days go into the load profile, which the aggregates read
-- in real time. Differences to days that are materialised wait in late_deltas: written here they would stay unseen until
-- a refresh, and would invalidate everything between them and now, for every device.
CREATE OR REPLACE FUNCTION apply_interval_deltas(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  since timestamptz := (SELECT direct_from FROM rollup_progress);
BEGIN
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE d.starts_at < since) THEN
    INSERT INTO late_deltas (day, ${columns.join(', ')})
    SELECT date_trunc('day', d.starts_at, 'UTC'), ${columns.map((column) => `d.${column}`).join(', ')}
    FROM unnest(deltas) d WHERE d.starts_at < since;
    deltas := (SELECT array_agg(d) FROM unnest(deltas) d WHERE d.starts_at >= since);
  END IF;
  IF deltas IS NOT NULL THEN
    PERFORM ${APPLY_HOURS_FUNCTION}(deltas);
  END IF;
END
$$;

-- Adds the waiting differences of one day to the load profile, of \`most\` devices after one of them, and marks the day as stale where it
-- is materialised. A transaction a piece, and never two days: TimescaleDB notes what a transaction changed as one range from its first
-- to its last time, and an array of all devices' differences could be beyond the 1 GiB that PostgreSQL holds in one. They are summed
-- by quarter-hour, so that what a piece holds does not grow with the time that they have waited.
-- Returns how many it took, and the last device, or null where no device is left. Called under the refresh's lock only. The table is
-- empty at most times and has millions of rows at others: a plan is made for what it has.
CREATE OR REPLACE FUNCTION fold_late_devices(which timestamptz, after_id text, most integer, OUT folded bigint, OUT last text)
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  devices text[] := ARRAY(
    WITH RECURSIVE next (device_id) AS (
      SELECT (${waitingAfter('after_id')})
      UNION ALL
      SELECT (${waitingAfter('n.device_id')}) FROM next n WHERE n.device_id IS NOT NULL
    )
    SELECT device_id FROM next WHERE device_id IS NOT NULL LIMIT most);
  deltas interval_delta[];
BEGIN
  WITH taken AS (
    DELETE FROM late_deltas l WHERE l.day = which AND l.device_id = ANY (devices) RETURNING l.*
  ), quarter_hours AS (
    SELECT ${KEYS.join(', ')}, count(*) AS differences,
${sumsPerMeasureSql().replaceAll(/^/gm, '    ')}
    FROM taken GROUP BY ${KEYS.join(', ')}
  )
  SELECT coalesce(sum(differences), 0), array_agg(ROW (${columns.join(', ')})::interval_delta)
  INTO folded, deltas FROM quarter_hours;
  IF deltas IS NULL THEN RETURN; END IF;
  PERFORM ${APPLY_HOURS_FUNCTION}(deltas);
  -- Taken by the workers when the day is no longer stale.
  PERFORM note_folded_changes(deltas);
  -- Differences that passed each other on the way here may have cancelled out without any of them being negative here.
${deleteEmptyHoursSql('  ')}
  INSERT INTO stale_days AS s (day, from_hour, to_hour)
  SELECT which, date_bin('1 hour', min(d.starts_at), 'epoch'), date_bin('1 hour', max(d.starts_at), 'epoch') + interval '1 hour'
  FROM unnest(deltas) d, rollup_progress p WHERE which < p.materialised_to GROUP BY 1
  ON CONFLICT (day) DO UPDATE SET marks = s.marks + 1,
    from_hour = least(s.from_hour, excluded.from_hour), to_hour = greatest(s.to_hour, excluded.to_hour);
  IF cardinality(devices) = most THEN last := devices[most]; END IF;
END
$$;
`;
}
