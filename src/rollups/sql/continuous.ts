import { COLUMN, HOURS, type Level, MEASURE_COLUMNS, storedOf } from '../levels.ts';
import { APPLY_HOURS, deleteEmptyHours } from './hours.ts';
import { commentsOnStored, keysAs, levelBelow, ordinals, sourceOf, sums, timeBucket } from './pieces.ts';

/** Levels where the database has continuous aggregates. */

/** Real-time: what is older than rollup_progress.materialised_to is read from its own table, the rest from beneath. */
export function continuousAggregate(level: Level): string {
  const below = levelBelow(level);
  const [source, relation] = below.isOfDevice
    ? [{ prefix: '', keys: HOURS.keys, time: HOURS.time }, HOURS.relation]
    : [sourceOf(below), storedOf(below)];
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${storedOf(level)} WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
SELECT ${keysAs(level, source, timeBucket)},
${sums()}${lastOfPeak(level)}
FROM ${relation}
GROUP BY ${ordinals(level)} WITH NO DATA;
${commentsOnStored(level, 'VIEW')}
`;
}

/**
 * last() takes the part with the greatest key, of equal ones any. So the key is the measure, and below it how early the
 * hour is: unequal for every two hours of a day.
 */
function lastOfPeak({ peak }: Level): string {
  if (!peak) return '';
  const measure = COLUMN[peak.measure];
  const key = `${measure} * 32 + 23 - extract(hour FROM ${peak.of} AT TIME ZONE 'UTC')::bigint`;
  return `,\n  last(${peak.of}, ${key}) FILTER (WHERE ${measure} > 0) AS ${peak.column}`;
}

/** A level of months: a view above the hours of one user, which is a few thousand rows. */
export function monthsView(level: Level): string {
  const below = levelBelow(level);
  return `-- time_bucket and not date_trunc: the planner turns a bound on the month into one on the hour.
CREATE OR REPLACE VIEW ${storedOf(level)} AS
SELECT ${keysAs(level, sourceOf(below), timeBucket)},
${sums()}
FROM ${storedOf(below)}
GROUP BY ${ordinals(level)};
${commentsOnStored(level, 'VIEW')}
`;
}

/** The door of the ingest transaction, and what the refresh takes from behind it. */
export function applyRecent(): string {
  const columns = ['device_id', 'user_id', 'starts_at', ...MEASURE_COLUMNS];
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
    PERFORM ${APPLY_HOURS}(deltas);
  END IF;
END
$$;

-- Adds the waiting differences of one day to the load profile, and marks the day as stale where it is materialised.
-- A transaction a day: TimescaleDB notes what a transaction changed as one range from its first to its last time.
-- Returns the number of differences. Called under the refresh's lock only.
CREATE OR REPLACE FUNCTION fold_late_day(which timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  deltas interval_delta[];
BEGIN
  WITH taken AS (DELETE FROM late_deltas WHERE day = which RETURNING *)
  SELECT array_agg(ROW (${columns.join(', ')})::interval_delta)
  INTO deltas FROM taken;
  IF deltas IS NULL THEN RETURN 0; END IF;
  PERFORM ${APPLY_HOURS}(deltas);
  -- Taken by the workers when the day is no longer stale.
  PERFORM note_folded_changes(deltas);
  -- Differences that passed each other on the way here may have cancelled out without any of them being negative here.
${deleteEmptyHours('  ')}
  INSERT INTO stale_days AS s (day, from_hour, to_hour)
  SELECT which, date_bin('1 hour', min(d.starts_at), 'epoch'), date_bin('1 hour', max(d.starts_at), 'epoch') + interval '1 hour'
  FROM unnest(deltas) d, rollup_progress p WHERE which < p.materialised_to GROUP BY 1
  ON CONFLICT (day) DO UPDATE SET marks = s.marks + 1,
    from_hour = least(s.from_hour, excluded.from_hour), to_hour = greatest(s.to_hour, excluded.to_hour);
  RETURN cardinality(deltas);
END
$$;
`;
}
