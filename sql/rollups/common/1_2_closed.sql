-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- What is closed of devices' quarter-hours and hours, in stored hours and packed days. A quarter-hour or hour may have rows in
-- both, and several: whoever reads them adds them up, and bounds row_starts_at, too, which an index has: what is asked from a
-- time on is in rows that begin less than a day before it.
CREATE OR REPLACE VIEW closed_device_intervals AS
SELECT h.device_id, h.starts_at + q.after AS starts_at, h.user_id,
  CASE q.place WHEN 0 THEN h.energy_milliwatt_hours - coalesce(h.energy_milliwatt_hours_2, 0) - coalesce(h.energy_milliwatt_hours_3, 0) - coalesce(h.energy_milliwatt_hours_4, 0) WHEN 1 THEN coalesce(h.energy_milliwatt_hours_2, 0) WHEN 2 THEN coalesce(h.energy_milliwatt_hours_3, 0) WHEN 3 THEN coalesce(h.energy_milliwatt_hours_4, 0) END AS energy_milliwatt_hours,
  CASE q.place WHEN 0 THEN h.estimated_milliwatt_hours - coalesce(h.estimated_milliwatt_hours_2, 0) - coalesce(h.estimated_milliwatt_hours_3, 0) - coalesce(h.estimated_milliwatt_hours_4, 0) WHEN 1 THEN coalesce(h.estimated_milliwatt_hours_2, 0) WHEN 2 THEN coalesce(h.estimated_milliwatt_hours_3, 0) WHEN 3 THEN coalesce(h.estimated_milliwatt_hours_4, 0) END AS estimated_milliwatt_hours,
  CASE q.place WHEN 0 THEN h.export_milliwatt_hours - coalesce(h.export_milliwatt_hours_2, 0) - coalesce(h.export_milliwatt_hours_3, 0) - coalesce(h.export_milliwatt_hours_4, 0) WHEN 1 THEN coalesce(h.export_milliwatt_hours_2, 0) WHEN 2 THEN coalesce(h.export_milliwatt_hours_3, 0) WHEN 3 THEN coalesce(h.export_milliwatt_hours_4, 0) END AS export_milliwatt_hours,
  CASE q.place WHEN 0 THEN h.reading_count - coalesce(h.reading_count_2, 0) - coalesce(h.reading_count_3, 0) - coalesce(h.reading_count_4, 0) WHEN 1 THEN coalesce(h.reading_count_2, 0) WHEN 2 THEN coalesce(h.reading_count_3, 0) WHEN 3 THEN coalesce(h.reading_count_4, 0) END AS reading_count,
  CASE q.place WHEN 0 THEN h.covered_ms - coalesce(h.covered_ms_2, 0) - coalesce(h.covered_ms_3, 0) - coalesce(h.covered_ms_4, 0) WHEN 1 THEN coalesce(h.covered_ms_2, 0) WHEN 2 THEN coalesce(h.covered_ms_3, 0) WHEN 3 THEN coalesce(h.covered_ms_4, 0) END AS covered_ms,
  CASE q.place WHEN 0 THEN h.export_covered_ms - coalesce(h.export_covered_ms_2, 0) - coalesce(h.export_covered_ms_3, 0) - coalesce(h.export_covered_ms_4, 0) WHEN 1 THEN coalesce(h.export_covered_ms_2, 0) WHEN 2 THEN coalesce(h.export_covered_ms_3, 0) WHEN 3 THEN coalesce(h.export_covered_ms_4, 0) END AS export_covered_ms,
  h.starts_at AS row_starts_at
FROM device_hours h CROSS JOIN (SELECT place, place * interval '15 minutes' AS after FROM generate_series(0, 3) place OFFSET 0) q
UNION ALL
SELECT d.device_id, d.day + q.after AS starts_at, d.user_id,
  coalesce(d.energy_milliwatt_hours[CASE WHEN cardinality(d.energy_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS energy_milliwatt_hours,
  coalesce(d.estimated_milliwatt_hours[CASE WHEN cardinality(d.estimated_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS estimated_milliwatt_hours,
  coalesce(d.export_milliwatt_hours[CASE WHEN cardinality(d.export_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS export_milliwatt_hours,
  coalesce(d.reading_count[CASE WHEN cardinality(d.reading_count) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS reading_count,
  coalesce(d.covered_ms[CASE WHEN cardinality(d.covered_ms) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS covered_ms,
  coalesce(d.export_covered_ms[CASE WHEN cardinality(d.export_covered_ms) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS export_covered_ms,
  d.day AS row_starts_at
FROM device_days d CROSS JOIN (SELECT place, place * interval '15 minutes' AS after FROM generate_series(0, 95) place OFFSET 0) q;
COMMENT ON VIEW closed_device_intervals IS 'Closed hours of device_intervals: without those that are open in heads. To be added up: of one quarter-hour there may be several rows.';
COMMENT ON COLUMN closed_device_intervals.starts_at IS 'Start of the quarter-hour, UTC.';
COMMENT ON COLUMN closed_device_intervals.row_starts_at IS 'Start of the stored hour or packed day that it is part of: bound it, too, where rows of a time are asked for.';

CREATE OR REPLACE VIEW closed_device_hourly AS
SELECT h.device_id, date_bin('1 hour', h.starts_at, 'epoch') AS hour, h.user_id,
  h.energy_milliwatt_hours AS energy_milliwatt_hours,
  h.estimated_milliwatt_hours AS estimated_milliwatt_hours,
  h.export_milliwatt_hours AS export_milliwatt_hours,
  h.reading_count AS reading_count,
  h.covered_ms AS covered_ms,
  h.export_covered_ms AS export_covered_ms,
  h.starts_at AS row_starts_at
FROM device_hours h
UNION ALL
SELECT d.device_id, d.day + q.after AS hour, d.user_id,
  coalesce(CASE WHEN cardinality(d.energy_milliwatt_hours) = 1 THEN 4 * d.energy_milliwatt_hours[1]::bigint ELSE d.energy_milliwatt_hours[q.place * 4 + 1]::bigint + d.energy_milliwatt_hours[q.place * 4 + 2] + d.energy_milliwatt_hours[q.place * 4 + 3] + d.energy_milliwatt_hours[q.place * 4 + 4] END, 0) AS energy_milliwatt_hours,
  coalesce(CASE WHEN cardinality(d.estimated_milliwatt_hours) = 1 THEN 4 * d.estimated_milliwatt_hours[1]::bigint ELSE d.estimated_milliwatt_hours[q.place * 4 + 1]::bigint + d.estimated_milliwatt_hours[q.place * 4 + 2] + d.estimated_milliwatt_hours[q.place * 4 + 3] + d.estimated_milliwatt_hours[q.place * 4 + 4] END, 0) AS estimated_milliwatt_hours,
  coalesce(CASE WHEN cardinality(d.export_milliwatt_hours) = 1 THEN 4 * d.export_milliwatt_hours[1]::bigint ELSE d.export_milliwatt_hours[q.place * 4 + 1]::bigint + d.export_milliwatt_hours[q.place * 4 + 2] + d.export_milliwatt_hours[q.place * 4 + 3] + d.export_milliwatt_hours[q.place * 4 + 4] END, 0) AS export_milliwatt_hours,
  coalesce(CASE WHEN cardinality(d.reading_count) = 1 THEN 4 * d.reading_count[1]::bigint ELSE d.reading_count[q.place * 4 + 1]::bigint + d.reading_count[q.place * 4 + 2] + d.reading_count[q.place * 4 + 3] + d.reading_count[q.place * 4 + 4] END, 0) AS reading_count,
  coalesce(CASE WHEN cardinality(d.covered_ms) = 1 THEN 4 * d.covered_ms[1]::bigint ELSE d.covered_ms[q.place * 4 + 1]::bigint + d.covered_ms[q.place * 4 + 2] + d.covered_ms[q.place * 4 + 3] + d.covered_ms[q.place * 4 + 4] END, 0) AS covered_ms,
  coalesce(CASE WHEN cardinality(d.export_covered_ms) = 1 THEN 4 * d.export_covered_ms[1]::bigint ELSE d.export_covered_ms[q.place * 4 + 1]::bigint + d.export_covered_ms[q.place * 4 + 2] + d.export_covered_ms[q.place * 4 + 3] + d.export_covered_ms[q.place * 4 + 4] END, 0) AS export_covered_ms,
  d.day AS row_starts_at
FROM device_days d CROSS JOIN (SELECT place, place * interval '1 hour' AS after FROM generate_series(0, 23) place OFFSET 0) q;
COMMENT ON VIEW closed_device_hourly IS 'Closed hours of device_hourly: without those that are open in heads. To be added up: of one hour there may be several rows.';
COMMENT ON COLUMN closed_device_hourly.hour IS 'Start of the hour, UTC.';
COMMENT ON COLUMN closed_device_hourly.row_starts_at IS 'Start of the stored hour or packed day that it is part of: bound it, too, where rows of a time are asked for.';
