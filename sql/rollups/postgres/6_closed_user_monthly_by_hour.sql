-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

CREATE TABLE IF NOT EXISTS closed_user_monthly_by_hour (
  user_id                   text COLLATE "C" NOT NULL,
  month                     timestamptz NOT NULL,
  hour_of_day               smallint NOT NULL,
  energy_milliwatt_hours    bigint NOT NULL,
  estimated_milliwatt_hours bigint NOT NULL,
  export_milliwatt_hours    bigint NOT NULL,
  reading_count             bigint NOT NULL,
  covered_ms                bigint NOT NULL,
  export_covered_ms         bigint NOT NULL,
  PRIMARY KEY (user_id, month, hour_of_day)
);
COMMENT ON TABLE closed_user_monthly_by_hour IS 'Closed hours of user_monthly_by_hour: without those that are open in heads.';
COMMENT ON COLUMN closed_user_monthly_by_hour.month IS 'Start of the month, UTC.';

CREATE OR REPLACE FUNCTION apply_user_monthly_by_hour(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- In key order, so that two writers that share rows never wait for each other in a circle.
  INSERT INTO closed_user_monthly_by_hour AS t (user_id, month, hour_of_day, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
  SELECT d.user_id, date_trunc('month', d.starts_at, 'UTC'), extract(hour FROM d.starts_at AT TIME ZONE 'UTC')::smallint, sum(d.energy_milliwatt_hours), sum(d.estimated_milliwatt_hours), sum(d.export_milliwatt_hours), sum(d.reading_count), sum(d.covered_ms), sum(d.export_covered_ms)
  FROM unnest(deltas) d
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3
  ON CONFLICT (user_id, month, hour_of_day) DO UPDATE SET
    energy_milliwatt_hours = t.energy_milliwatt_hours + excluded.energy_milliwatt_hours,
    estimated_milliwatt_hours = t.estimated_milliwatt_hours + excluded.estimated_milliwatt_hours,
    export_milliwatt_hours = t.export_milliwatt_hours + excluded.export_milliwatt_hours,
    reading_count = t.reading_count + excluded.reading_count,
    covered_ms = t.covered_ms + excluded.covered_ms,
    export_covered_ms = t.export_covered_ms + excluded.export_covered_ms;
  -- Where nothing is known any more there is no row, never a 0.
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE d.covered_ms < 0 OR d.export_covered_ms < 0) THEN
    DELETE FROM closed_user_monthly_by_hour t
    USING (SELECT DISTINCT d.user_id AS user_id, date_trunc('month', d.starts_at, 'UTC') AS month, extract(hour FROM d.starts_at AT TIME ZONE 'UTC')::smallint AS hour_of_day FROM unnest(deltas) d) d
    WHERE t.user_id = d.user_id AND t.month = d.month AND t.hour_of_day = d.hour_of_day AND t.covered_ms = 0 AND t.export_covered_ms = 0;
  END IF;
END
$$;
