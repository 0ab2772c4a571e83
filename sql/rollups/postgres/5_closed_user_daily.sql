-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

CREATE TABLE IF NOT EXISTS closed_user_daily (
  user_id                   text COLLATE "C" NOT NULL,
  day                       timestamptz NOT NULL,
  energy_milliwatt_hours    bigint NOT NULL,
  estimated_milliwatt_hours bigint NOT NULL,
  export_milliwatt_hours    bigint NOT NULL,
  reading_count             bigint NOT NULL,
  covered_ms                bigint NOT NULL,
  export_covered_ms         bigint NOT NULL,
  peak_hour                 timestamptz,
  PRIMARY KEY (user_id, day)
);
COMMENT ON TABLE closed_user_daily IS 'Closed hours of user_daily: without those that are open in heads.';
COMMENT ON COLUMN closed_user_daily.day IS 'Start of the day, UTC.';
COMMENT ON COLUMN closed_user_daily.peak_hour IS 'Start of the UTC hour with the highest consumption; null where nothing was consumed.';

CREATE OR REPLACE FUNCTION apply_user_daily(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- In key order, so that two writers that share rows never wait for each other in a circle.
  INSERT INTO closed_user_daily AS t (user_id, day, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
  SELECT d.user_id, date_trunc('day', d.starts_at, 'UTC'), sum(d.energy_milliwatt_hours), sum(d.estimated_milliwatt_hours), sum(d.export_milliwatt_hours), sum(d.reading_count), sum(d.covered_ms), sum(d.export_covered_ms)
  FROM unnest(deltas) d
  GROUP BY 1, 2
  ORDER BY 1, 2
  ON CONFLICT (user_id, day) DO UPDATE SET
    energy_milliwatt_hours = t.energy_milliwatt_hours + excluded.energy_milliwatt_hours,
    estimated_milliwatt_hours = t.estimated_milliwatt_hours + excluded.estimated_milliwatt_hours,
    export_milliwatt_hours = t.export_milliwatt_hours + excluded.export_milliwatt_hours,
    reading_count = t.reading_count + excluded.reading_count,
    covered_ms = t.covered_ms + excluded.covered_ms,
    export_covered_ms = t.export_covered_ms + excluded.export_covered_ms;
  -- Where nothing is known any more there is no row, never a 0.
  IF EXISTS (SELECT FROM unnest(deltas) d WHERE d.covered_ms < 0 OR d.export_covered_ms < 0) THEN
    DELETE FROM closed_user_daily t
    USING (SELECT DISTINCT d.user_id AS user_id, date_trunc('day', d.starts_at, 'UTC') AS day FROM unnest(deltas) d) d
    WHERE t.user_id = d.user_id AND t.day = d.day AND t.covered_ms = 0 AND t.export_covered_ms = 0;
  END IF;
  -- The hour with the highest sum, the earliest of equals.
  UPDATE closed_user_daily u SET peak_hour = p.peak_hour
  FROM (
    SELECT k.user_id, k.day, (
      SELECT h.hour FROM closed_user_hourly h
      WHERE h.user_id = k.user_id AND h.hour >= k.day AND h.hour < k.day + interval '24 hours' AND h.energy_milliwatt_hours > 0
      ORDER BY h.energy_milliwatt_hours DESC, h.hour LIMIT 1
    ) AS peak_hour
    FROM (SELECT DISTINCT d.user_id AS user_id, date_trunc('day', d.starts_at, 'UTC') AS day FROM unnest(deltas) d) k
  ) p
  WHERE u.user_id = p.user_id AND u.day = p.day AND u.peak_hour IS DISTINCT FROM p.peak_hour;
END
$$;
