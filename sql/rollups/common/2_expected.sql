-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- What the load profile says that each aggregate should hold, on every tier.

CREATE OR REPLACE VIEW closed_user_hourly_expected AS
SELECT user_id, hour,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM closed_device_hourly
GROUP BY 1, 2
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW closed_user_hourly_expected IS 'closed_user_hourly as the load profile says it should be: what `energy rollups check` compares with.';

CREATE OR REPLACE VIEW closed_user_daily_expected AS
SELECT user_id, date_trunc('day', hour, 'UTC') AS day,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms,
  (array_agg(hour ORDER BY energy_milliwatt_hours DESC, hour) FILTER (WHERE energy_milliwatt_hours > 0))[1] AS peak_hour
FROM closed_user_hourly_expected
GROUP BY 1, 2
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW closed_user_daily_expected IS 'closed_user_daily as the load profile says it should be: what `energy rollups check` compares with.';

CREATE OR REPLACE VIEW closed_user_monthly_by_hour_expected AS
SELECT user_id, date_trunc('month', hour, 'UTC') AS month, extract(hour FROM hour AT TIME ZONE 'UTC')::smallint AS hour_of_day,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM closed_device_hourly
GROUP BY 1, 2, 3
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW closed_user_monthly_by_hour_expected IS 'closed_user_monthly_by_hour as the load profile says it should be: what `energy rollups check` compares with.';
