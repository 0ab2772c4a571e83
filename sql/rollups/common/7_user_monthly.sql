-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

CREATE OR REPLACE VIEW user_monthly AS
SELECT user_id, month,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms,
  (array_agg(hour_of_day ORDER BY energy_milliwatt_hours DESC, hour_of_day) FILTER (WHERE energy_milliwatt_hours > 0))[1] AS peak_hour
FROM user_monthly_by_hour
GROUP BY 1, 2;
COMMENT ON VIEW user_monthly IS 'Consumption per user and UTC month.';
COMMENT ON COLUMN user_monthly.month IS 'Start of the month, UTC.';
COMMENT ON COLUMN user_monthly.peak_hour IS 'UTC hour of the day (0 to 23) with the highest total; null where nothing was consumed.';
