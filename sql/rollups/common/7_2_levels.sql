-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

CREATE OR REPLACE VIEW device_intervals AS
SELECT device_id, starts_at, user_id,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM (
  SELECT device_id, starts_at, user_id, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms FROM closed_device_intervals
  UNION ALL
  SELECT device_id, starts_at, user_id, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms FROM open_quarter_hours
) parts
GROUP BY 1, 2, 3
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW device_intervals IS 'Load profile per device and UTC quarter-hour.';
COMMENT ON COLUMN device_intervals.starts_at IS 'Start of the quarter-hour, UTC.';

CREATE OR REPLACE VIEW device_hourly AS
SELECT device_id, hour, user_id,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM (
  SELECT device_id, hour, user_id, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms FROM closed_device_hourly
  UNION ALL
  SELECT device_id, hour, user_id, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms FROM open_hours
) parts
GROUP BY 1, 2, 3
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW device_hourly IS 'Consumption per device and UTC hour.';
COMMENT ON COLUMN device_hourly.hour IS 'Start of the hour, UTC.';

CREATE OR REPLACE VIEW user_hourly AS
SELECT user_id, hour,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM (
  SELECT user_id, hour, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms FROM closed_user_hourly
  UNION ALL
  SELECT user_id, hour, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms FROM open_hours
) parts
GROUP BY 1, 2
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW user_hourly IS 'Consumption per user and UTC hour, summed over devices.';
COMMENT ON COLUMN user_hourly.hour IS 'Start of the hour, UTC.';

CREATE OR REPLACE FUNCTION user_daily_peak_hour(whose text, since timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT b.hour FROM (
  SELECT user_id, hour, energy_milliwatt_hours, estimated_milliwatt_hours FROM closed_user_hourly
  UNION ALL
  SELECT user_id, hour, energy_milliwatt_hours, estimated_milliwatt_hours FROM open_hours
) b
    WHERE b.user_id = whose AND b.hour >= since AND b.hour < since + interval '24 hours'
    GROUP BY 1 HAVING sum(b.energy_milliwatt_hours) > 0 AND 2 * sum(b.estimated_milliwatt_hours) <= sum(b.energy_milliwatt_hours) ORDER BY sum(b.energy_milliwatt_hours) DESC, b.hour LIMIT 1);
END
$$;

CREATE OR REPLACE VIEW user_daily AS
SELECT user_id, day,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms,
  CASE WHEN bool_or(is_open) OR sum(estimated_milliwatt_hours) > 0 THEN user_daily_peak_hour(user_id, day) ELSE max(peak_hour) END AS peak_hour
FROM (
  SELECT user_id, day, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms, peak_hour, false AS is_open FROM closed_user_daily
  UNION ALL
  SELECT user_id, date_trunc('day', hour, 'UTC') AS day, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms, NULL, true FROM open_hours
) parts
GROUP BY 1, 2
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW user_daily IS 'Consumption per user and UTC day.';
COMMENT ON COLUMN user_daily.day IS 'Start of the day, UTC.';
COMMENT ON COLUMN user_daily.peak_hour IS 'Start of the UTC hour with the highest consumption; null where nothing was consumed.';

CREATE OR REPLACE VIEW user_monthly_by_hour AS
SELECT user_id, month, hour_of_day,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms
FROM (
  SELECT user_id, month, hour_of_day, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms FROM closed_user_monthly_by_hour
  UNION ALL
  SELECT user_id, date_trunc('month', hour, 'UTC') AS month, extract(hour FROM hour AT TIME ZONE 'UTC')::smallint AS hour_of_day, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms FROM open_hours
) parts
GROUP BY 1, 2, 3
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW user_monthly_by_hour IS 'Consumption per user, UTC month and UTC hour of the day: what a month''s peak hour needs.';
COMMENT ON COLUMN user_monthly_by_hour.month IS 'Start of the month, UTC.';

CREATE OR REPLACE VIEW user_monthly AS
SELECT user_id, month,
  sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
  sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
  sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
  sum(reading_count)::bigint AS reading_count,
  sum(covered_ms)::bigint AS covered_ms,
  sum(export_covered_ms)::bigint AS export_covered_ms,
  (array_agg(hour_of_day ORDER BY energy_milliwatt_hours DESC, hour_of_day) FILTER (WHERE energy_milliwatt_hours > 0 AND 2 * estimated_milliwatt_hours <= energy_milliwatt_hours))[1] AS peak_hour
FROM user_monthly_by_hour
GROUP BY 1, 2
HAVING sum(covered_ms) <> 0 OR sum(export_covered_ms) <> 0;
COMMENT ON VIEW user_monthly IS 'Consumption per user and UTC month.';
COMMENT ON COLUMN user_monthly.month IS 'Start of the month, UTC.';
COMMENT ON COLUMN user_monthly.peak_hour IS 'UTC hour of the day (0 to 23) with the highest total; null where nothing was consumed.';
