CREATE TABLE IF NOT EXISTS user_monthly_by_hour (
  user_id           text COLLATE "C" NOT NULL,
  month             timestamptz NOT NULL,
  hour_of_day       smallint NOT NULL,
  energy_mwh        bigint NOT NULL,
  estimated_mwh     bigint NOT NULL,
  export_mwh        bigint NOT NULL,
  reading_count     bigint NOT NULL,
  covered_ms        bigint NOT NULL,
  export_covered_ms bigint NOT NULL,
  PRIMARY KEY (user_id, month, hour_of_day)
);
COMMENT ON TABLE user_monthly_by_hour IS 'Consumption per user, UTC month and UTC hour of the day: what a month''s peak hour needs.';
COMMENT ON COLUMN user_monthly_by_hour.month IS 'Start of the month, UTC.';

CREATE OR REPLACE FUNCTION apply_user_monthly_by_hour(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- In key order, so that two writers that share rows never wait for each other in a circle.
  INSERT INTO user_monthly_by_hour AS t (user_id, month, hour_of_day, energy_mwh, estimated_mwh, export_mwh, reading_count, covered_ms, export_covered_ms)
  SELECT d.user_id, date_trunc('month', d.starts_at, 'UTC'), extract(hour FROM d.starts_at AT TIME ZONE 'UTC')::smallint, sum(d.energy_mwh), sum(d.estimated_mwh), sum(d.export_mwh), sum(d.reading_count), sum(d.covered_ms), sum(d.export_covered_ms)
  FROM unnest(deltas) d
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3
  ON CONFLICT (user_id, month, hour_of_day) DO UPDATE SET
    energy_mwh = t.energy_mwh + excluded.energy_mwh,
    estimated_mwh = t.estimated_mwh + excluded.estimated_mwh,
    export_mwh = t.export_mwh + excluded.export_mwh,
    reading_count = t.reading_count + excluded.reading_count,
    covered_ms = t.covered_ms + excluded.covered_ms,
    export_covered_ms = t.export_covered_ms + excluded.export_covered_ms;
  -- Where nothing is known any more there is no row, never a 0.
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE d.covered_ms < 0 OR d.export_covered_ms < 0) THEN
    DELETE FROM user_monthly_by_hour t
    USING (SELECT DISTINCT d.user_id AS user_id, date_trunc('month', d.starts_at, 'UTC') AS month, extract(hour FROM d.starts_at AT TIME ZONE 'UTC')::smallint AS hour_of_day FROM unnest(deltas) d) d
    WHERE t.user_id = d.user_id AND t.month = d.month AND t.hour_of_day = d.hour_of_day AND t.covered_ms = 0 AND t.export_covered_ms = 0;
  END IF;
END
$$;

CREATE OR REPLACE VIEW user_monthly AS
SELECT user_id, month,
  sum(energy_mwh)::bigint AS energy_mwh,
  sum(estimated_mwh)::bigint AS estimated_mwh,
  sum(export_mwh)::bigint AS export_mwh,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms,
  (array_agg(hour_of_day ORDER BY energy_mwh DESC, hour_of_day) FILTER (WHERE energy_mwh > 0))[1] AS peak_hour
FROM user_monthly_by_hour
GROUP BY user_id, month;
COMMENT ON VIEW user_monthly IS 'Consumption per user and UTC month.';
COMMENT ON COLUMN user_monthly.peak_hour IS 'UTC hour of the day (0 to 23) with the highest total; null where nothing was consumed.';

CREATE OR REPLACE VIEW user_monthly_by_hour_expected AS
SELECT user_id, date_trunc('month', starts_at, 'UTC') AS month, extract(hour FROM starts_at AT TIME ZONE 'UTC')::smallint AS hour_of_day,
  sum(energy_mwh)::bigint AS energy_mwh,
  sum(estimated_mwh)::bigint AS estimated_mwh,
  sum(export_mwh)::bigint AS export_mwh,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM device_intervals
GROUP BY 1, 2, 3;
COMMENT ON VIEW user_monthly_by_hour_expected IS 'user_monthly_by_hour as the load profile says it should be: what `energy rollups check` compares with.';
