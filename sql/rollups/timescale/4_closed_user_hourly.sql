-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

CREATE MATERIALIZED VIEW IF NOT EXISTS closed_user_hourly WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
SELECT user_id, time_bucket('1 hour', starts_at) AS hour,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM device_hours
GROUP BY 1, 2 WITH NO DATA;
COMMENT ON VIEW closed_user_hourly IS 'Closed hours of user_hourly: without those that are open in heads.';
COMMENT ON COLUMN closed_user_hourly.hour IS 'Start of the hour, UTC.';
