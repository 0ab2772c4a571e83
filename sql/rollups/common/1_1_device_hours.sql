-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- Closed hours of the load profile (a table of sql/schema), to which writes add.

CREATE OR REPLACE FUNCTION apply_device_hours(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  noted timestamptz;
BEGIN
  -- In key order, so that two writers that share rows never wait for each other in a circle.
  INSERT INTO device_hours AS t (device_id, starts_at, user_id, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms,
    energy_milliwatt_hours_2,
    energy_milliwatt_hours_3,
    energy_milliwatt_hours_4,
    estimated_milliwatt_hours_2,
    estimated_milliwatt_hours_3,
    estimated_milliwatt_hours_4,
    export_milliwatt_hours_2,
    export_milliwatt_hours_3,
    export_milliwatt_hours_4,
    reading_count_2,
    reading_count_3,
    reading_count_4,
    covered_ms_2,
    covered_ms_3,
    covered_ms_4,
    export_covered_ms_2,
    export_covered_ms_3,
    export_covered_ms_4)
  SELECT d.device_id, d.hour, d.user_id,
    sum(d.energy_milliwatt_hours),
    sum(d.estimated_milliwatt_hours),
    sum(d.export_milliwatt_hours),
    sum(d.reading_count),
    sum(d.covered_ms),
    sum(d.export_covered_ms),
    nullif(sum(d.energy_milliwatt_hours) FILTER (WHERE d.quarter = 2), 0),
    nullif(sum(d.energy_milliwatt_hours) FILTER (WHERE d.quarter = 3), 0),
    nullif(sum(d.energy_milliwatt_hours) FILTER (WHERE d.quarter = 4), 0),
    nullif(sum(d.estimated_milliwatt_hours) FILTER (WHERE d.quarter = 2), 0),
    nullif(sum(d.estimated_milliwatt_hours) FILTER (WHERE d.quarter = 3), 0),
    nullif(sum(d.estimated_milliwatt_hours) FILTER (WHERE d.quarter = 4), 0),
    nullif(sum(d.export_milliwatt_hours) FILTER (WHERE d.quarter = 2), 0),
    nullif(sum(d.export_milliwatt_hours) FILTER (WHERE d.quarter = 3), 0),
    nullif(sum(d.export_milliwatt_hours) FILTER (WHERE d.quarter = 4), 0),
    nullif(sum(d.reading_count) FILTER (WHERE d.quarter = 2), 0),
    nullif(sum(d.reading_count) FILTER (WHERE d.quarter = 3), 0),
    nullif(sum(d.reading_count) FILTER (WHERE d.quarter = 4), 0),
    nullif(sum(d.covered_ms) FILTER (WHERE d.quarter = 2), 0),
    nullif(sum(d.covered_ms) FILTER (WHERE d.quarter = 3), 0),
    nullif(sum(d.covered_ms) FILTER (WHERE d.quarter = 4), 0),
    nullif(sum(d.export_covered_ms) FILTER (WHERE d.quarter = 2), 0),
    nullif(sum(d.export_covered_ms) FILTER (WHERE d.quarter = 3), 0),
    nullif(sum(d.export_covered_ms) FILTER (WHERE d.quarter = 4), 0)
  FROM (
    SELECT d.*, date_bin('1 hour', d.starts_at, 'epoch') AS hour, 1 + date_part('minute', d.starts_at AT TIME ZONE 'UTC')::integer / 15 AS quarter
    -- Else both would be computed again for each of the sums.
    FROM unnest(deltas) d OFFSET 0
  ) d
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3
  ON CONFLICT (device_id, starts_at) DO UPDATE SET
    energy_milliwatt_hours = t.energy_milliwatt_hours + excluded.energy_milliwatt_hours,
    estimated_milliwatt_hours = t.estimated_milliwatt_hours + excluded.estimated_milliwatt_hours,
    export_milliwatt_hours = t.export_milliwatt_hours + excluded.export_milliwatt_hours,
    reading_count = t.reading_count + excluded.reading_count,
    covered_ms = t.covered_ms + excluded.covered_ms,
    export_covered_ms = t.export_covered_ms + excluded.export_covered_ms,
    energy_milliwatt_hours_2 = nullif(coalesce(t.energy_milliwatt_hours_2, 0) + coalesce(excluded.energy_milliwatt_hours_2, 0), 0),
    energy_milliwatt_hours_3 = nullif(coalesce(t.energy_milliwatt_hours_3, 0) + coalesce(excluded.energy_milliwatt_hours_3, 0), 0),
    energy_milliwatt_hours_4 = nullif(coalesce(t.energy_milliwatt_hours_4, 0) + coalesce(excluded.energy_milliwatt_hours_4, 0), 0),
    estimated_milliwatt_hours_2 = nullif(coalesce(t.estimated_milliwatt_hours_2, 0) + coalesce(excluded.estimated_milliwatt_hours_2, 0), 0),
    estimated_milliwatt_hours_3 = nullif(coalesce(t.estimated_milliwatt_hours_3, 0) + coalesce(excluded.estimated_milliwatt_hours_3, 0), 0),
    estimated_milliwatt_hours_4 = nullif(coalesce(t.estimated_milliwatt_hours_4, 0) + coalesce(excluded.estimated_milliwatt_hours_4, 0), 0),
    export_milliwatt_hours_2 = nullif(coalesce(t.export_milliwatt_hours_2, 0) + coalesce(excluded.export_milliwatt_hours_2, 0), 0),
    export_milliwatt_hours_3 = nullif(coalesce(t.export_milliwatt_hours_3, 0) + coalesce(excluded.export_milliwatt_hours_3, 0), 0),
    export_milliwatt_hours_4 = nullif(coalesce(t.export_milliwatt_hours_4, 0) + coalesce(excluded.export_milliwatt_hours_4, 0), 0),
    reading_count_2 = nullif(coalesce(t.reading_count_2, 0) + coalesce(excluded.reading_count_2, 0), 0),
    reading_count_3 = nullif(coalesce(t.reading_count_3, 0) + coalesce(excluded.reading_count_3, 0), 0),
    reading_count_4 = nullif(coalesce(t.reading_count_4, 0) + coalesce(excluded.reading_count_4, 0), 0),
    covered_ms_2 = nullif(coalesce(t.covered_ms_2, 0) + coalesce(excluded.covered_ms_2, 0), 0),
    covered_ms_3 = nullif(coalesce(t.covered_ms_3, 0) + coalesce(excluded.covered_ms_3, 0), 0),
    covered_ms_4 = nullif(coalesce(t.covered_ms_4, 0) + coalesce(excluded.covered_ms_4, 0), 0),
    export_covered_ms_2 = nullif(coalesce(t.export_covered_ms_2, 0) + coalesce(excluded.export_covered_ms_2, 0), 0),
    export_covered_ms_3 = nullif(coalesce(t.export_covered_ms_3, 0) + coalesce(excluded.export_covered_ms_3, 0), 0),
    export_covered_ms_4 = nullif(coalesce(t.export_covered_ms_4, 0) + coalesce(excluded.export_covered_ms_4, 0), 0);
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE d.covered_ms < 0 OR d.export_covered_ms < 0) THEN
    -- Empty, and not only unknown: what a row has may be part of what another row knows.
    DELETE FROM device_hours t
    USING (SELECT DISTINCT d.device_id, date_bin('1 hour', d.starts_at, 'epoch') AS starts_at FROM unnest(deltas) d) d
    WHERE t.device_id = d.device_id AND t.starts_at = d.starts_at
      AND (t.energy_milliwatt_hours, t.estimated_milliwatt_hours, t.export_milliwatt_hours, t.reading_count, t.covered_ms, t.export_covered_ms) = (0, 0, 0, 0, 0, 0)
      AND num_nonnulls(t.energy_milliwatt_hours_2, t.energy_milliwatt_hours_3, t.energy_milliwatt_hours_4, t.estimated_milliwatt_hours_2, t.estimated_milliwatt_hours_3, t.estimated_milliwatt_hours_4, t.export_milliwatt_hours_2, t.export_milliwatt_hours_3, t.export_milliwatt_hours_4, t.reading_count_2, t.reading_count_3, t.reading_count_4, t.covered_ms_2, t.covered_ms_3, t.covered_ms_4, t.export_covered_ms_2, t.export_covered_ms_3, t.export_covered_ms_4) = 0;
  END IF;
  -- Of what sums of groups may be kept of. Asked for after the first write: a worker that moves the time waits for transactions that have written.
  SELECT noted_before INTO noted FROM group_sums_progress;
  IF noted > '-infinity' THEN
    INSERT INTO changed_home_days (user_id, day)
    SELECT DISTINCT split_part(d.user_id, '/', 1), date_trunc('day', d.starts_at, 'UTC') FROM unnest(deltas) d WHERE d.starts_at < noted;
  END IF;
END
$$;
