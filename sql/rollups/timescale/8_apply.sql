-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- The one door of the ingest transaction. Differences to recent days go into the load profile, which the aggregates read
-- in real time. Differences to days that are materialised wait in late_deltas: written here they would stay unseen until
-- a refresh, and would invalidate everything between them and now, for every device.
CREATE OR REPLACE FUNCTION apply_interval_deltas(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  since timestamptz := (SELECT direct_from FROM rollup_progress);
BEGIN
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE d.starts_at < since) THEN
    INSERT INTO late_deltas (day, device_id, user_id, starts_at, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
    SELECT date_trunc('day', d.starts_at, 'UTC'), d.device_id, d.user_id, d.starts_at, d.energy_milliwatt_hours, d.estimated_milliwatt_hours, d.export_milliwatt_hours, d.reading_count, d.covered_ms, d.export_covered_ms
    FROM unnest(deltas) d WHERE d.starts_at < since;
    deltas := (SELECT array_agg(d) FROM unnest(deltas) d WHERE d.starts_at >= since);
  END IF;
  IF deltas IS NOT NULL THEN
    PERFORM apply_device_hours(deltas);
  END IF;
END
$$;

-- Adds the waiting differences of one day to the load profile, of `most` devices after one of them, and marks the day as stale where it
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
      SELECT (SELECT l.device_id FROM late_deltas l WHERE l.day = which AND l.device_id > after_id ORDER BY 1 LIMIT 1)
      UNION ALL
      SELECT (SELECT l.device_id FROM late_deltas l WHERE l.day = which AND l.device_id > n.device_id ORDER BY 1 LIMIT 1) FROM next n WHERE n.device_id IS NOT NULL
    )
    SELECT device_id FROM next WHERE device_id IS NOT NULL LIMIT most);
  deltas interval_delta[];
BEGIN
  WITH taken AS (
    DELETE FROM late_deltas l WHERE l.day = which AND l.device_id = ANY (devices) RETURNING l.*
  ), quarter_hours AS (
    SELECT device_id, user_id, starts_at, count(*) AS differences,
      sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
      sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
      sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
      sum(reading_count)::bigint AS reading_count,
      sum(covered_ms)::bigint AS covered_ms,
      sum(export_covered_ms)::bigint AS export_covered_ms
    FROM taken GROUP BY device_id, user_id, starts_at
  )
  SELECT coalesce(sum(differences), 0), array_agg(ROW (device_id, user_id, starts_at, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)::interval_delta)
  INTO folded, deltas FROM quarter_hours;
  IF deltas IS NULL THEN RETURN; END IF;
  PERFORM apply_device_hours(deltas);
  -- Taken by the workers when the day is no longer stale.
  PERFORM note_folded_changes(deltas);
  -- Differences that passed each other on the way here may have cancelled out without any of them being negative here.
  -- Empty, and not only unknown: what a row has may be part of what another row knows.
  DELETE FROM device_hours t
  USING (SELECT DISTINCT d.device_id, date_bin('1 hour', d.starts_at, 'epoch') AS starts_at FROM unnest(deltas) d) d
  WHERE t.device_id = d.device_id AND t.starts_at = d.starts_at
    AND (t.energy_milliwatt_hours, t.estimated_milliwatt_hours, t.export_milliwatt_hours, t.reading_count, t.covered_ms, t.export_covered_ms) = (0, 0, 0, 0, 0, 0)
    AND num_nonnulls(t.energy_milliwatt_hours_2, t.energy_milliwatt_hours_3, t.energy_milliwatt_hours_4, t.estimated_milliwatt_hours_2, t.estimated_milliwatt_hours_3, t.estimated_milliwatt_hours_4, t.export_milliwatt_hours_2, t.export_milliwatt_hours_3, t.export_milliwatt_hours_4, t.reading_count_2, t.reading_count_3, t.reading_count_4, t.covered_ms_2, t.covered_ms_3, t.covered_ms_4, t.export_covered_ms_2, t.export_covered_ms_3, t.export_covered_ms_4) = 0;
  INSERT INTO stale_days AS s (day, from_hour, to_hour)
  SELECT which, date_bin('1 hour', min(d.starts_at), 'epoch'), date_bin('1 hour', max(d.starts_at), 'epoch') + interval '1 hour'
  FROM unnest(deltas) d, rollup_progress p WHERE which < p.materialised_to GROUP BY 1
  ON CONFLICT (day) DO UPDATE SET marks = s.marks + 1,
    from_hour = least(s.from_hour, excluded.from_hour), to_hour = greatest(s.to_hour, excluded.to_hour);
  IF cardinality(devices) = most THEN last := devices[most]; END IF;
END
$$;
