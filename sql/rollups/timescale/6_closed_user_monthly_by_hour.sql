-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- time_bucket and not date_trunc: the planner turns a bound on the month into one on the hour.
CREATE OR REPLACE VIEW closed_user_monthly_by_hour AS
SELECT user_id, time_bucket('1 month', hour) AS month, extract(hour FROM hour AT TIME ZONE 'UTC')::smallint AS hour_of_day,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM closed_user_hourly
GROUP BY 1, 2, 3;
COMMENT ON VIEW closed_user_monthly_by_hour IS 'Closed hours of user_monthly_by_hour: without those that are open in heads.';
COMMENT ON COLUMN closed_user_monthly_by_hour.month IS 'Start of the month, UTC.';
