-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

CREATE MATERIALIZED VIEW IF NOT EXISTS closed_user_daily WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
SELECT user_id, time_bucket('1 day', hour) AS day,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms,
  last(hour, energy_milliwatt_hours * 32 + 23 - extract(hour FROM hour AT TIME ZONE 'UTC')::bigint) FILTER (WHERE energy_milliwatt_hours > 0) AS peak_hour
FROM closed_user_hourly
GROUP BY 1, 2 WITH NO DATA;
COMMENT ON VIEW closed_user_daily IS 'Closed hours of user_daily: without those that are open in heads.';
COMMENT ON COLUMN closed_user_daily.day IS 'Start of the day, UTC.';
COMMENT ON COLUMN closed_user_daily.peak_hour IS 'Start of the UTC hour with the highest consumption; null where nothing was consumed.';
