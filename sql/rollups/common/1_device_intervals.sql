-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- Load profile per device and UTC quarter-hour (a table of sql/schema): the base of every aggregate.

CREATE OR REPLACE FUNCTION apply_device_intervals(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- In key order, so that two writers that share rows never wait for each other in a circle.
  INSERT INTO closed_device_intervals AS t (device_id, starts_at, user_id, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
  SELECT d.device_id, d.starts_at, d.user_id, sum(d.energy_milliwatt_hours), sum(d.estimated_milliwatt_hours), sum(d.export_milliwatt_hours), sum(d.reading_count), sum(d.covered_ms), sum(d.export_covered_ms)
  FROM unnest(deltas) d
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3
  ON CONFLICT (device_id, starts_at) DO UPDATE SET
    energy_milliwatt_hours = t.energy_milliwatt_hours + excluded.energy_milliwatt_hours,
    estimated_milliwatt_hours = t.estimated_milliwatt_hours + excluded.estimated_milliwatt_hours,
    export_milliwatt_hours = t.export_milliwatt_hours + excluded.export_milliwatt_hours,
    reading_count = t.reading_count + excluded.reading_count,
    covered_ms = t.covered_ms + excluded.covered_ms,
    export_covered_ms = t.export_covered_ms + excluded.export_covered_ms;
  -- Where nothing is known any more there is no row, never a 0.
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE d.covered_ms < 0 OR d.export_covered_ms < 0) THEN
    DELETE FROM closed_device_intervals t
    USING (SELECT DISTINCT d.device_id AS device_id, d.starts_at AS starts_at, d.user_id AS user_id FROM unnest(deltas) d) d
    WHERE t.device_id = d.device_id AND t.starts_at = d.starts_at AND t.covered_ms = 0 AND t.export_covered_ms = 0;
  END IF;
END
$$;
