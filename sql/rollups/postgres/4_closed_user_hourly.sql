-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

CREATE TABLE IF NOT EXISTS closed_user_hourly (
  user_id                   text COLLATE "C" NOT NULL,
  hour                      timestamptz NOT NULL,
  energy_milliwatt_hours    bigint NOT NULL,
  estimated_milliwatt_hours bigint NOT NULL,
  export_milliwatt_hours    bigint NOT NULL,
  reading_count             bigint NOT NULL,
  covered_ms                bigint NOT NULL,
  export_covered_ms         bigint NOT NULL,
  PRIMARY KEY (user_id, hour)
);
COMMENT ON TABLE closed_user_hourly IS 'Closed hours of user_hourly: without those that are open in heads.';
COMMENT ON COLUMN closed_user_hourly.hour IS 'Start of the hour, UTC.';

CREATE OR REPLACE FUNCTION apply_user_hourly(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- In key order, so that two writers that share rows never wait for each other in a circle.
  INSERT INTO closed_user_hourly AS t (user_id, hour, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
  SELECT d.user_id, date_bin('1 hour', d.starts_at, 'epoch'), sum(d.energy_milliwatt_hours), sum(d.estimated_milliwatt_hours), sum(d.export_milliwatt_hours), sum(d.reading_count), sum(d.covered_ms), sum(d.export_covered_ms)
  FROM unnest(deltas) d
  GROUP BY 1, 2
  ORDER BY 1, 2
  ON CONFLICT (user_id, hour) DO UPDATE SET
    energy_milliwatt_hours = t.energy_milliwatt_hours + excluded.energy_milliwatt_hours,
    estimated_milliwatt_hours = t.estimated_milliwatt_hours + excluded.estimated_milliwatt_hours,
    export_milliwatt_hours = t.export_milliwatt_hours + excluded.export_milliwatt_hours,
    reading_count = t.reading_count + excluded.reading_count,
    covered_ms = t.covered_ms + excluded.covered_ms,
    export_covered_ms = t.export_covered_ms + excluded.export_covered_ms;
  -- Where nothing is known any more there is no row, never a 0.
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE d.covered_ms < 0 OR d.export_covered_ms < 0) THEN
    DELETE FROM closed_user_hourly t
    USING (SELECT DISTINCT d.user_id AS user_id, date_bin('1 hour', d.starts_at, 'epoch') AS hour FROM unnest(deltas) d) d
    WHERE t.user_id = d.user_id AND t.hour = d.hour AND t.covered_ms = 0 AND t.export_covered_ms = 0;
  END IF;
END
$$;
