-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- A device's open hour is in its head, until a later one begins.
CREATE OR REPLACE VIEW open_hours AS
SELECT h.device_id, h.user_id, to_timestamp(split_part(h.open, ',', 1)::bigint * 3600) AS hour,
  coalesce(nullif(split_part(h.open, ',', 2), ''), '0')::bigint AS energy_milliwatt_hours,
  coalesce(nullif(split_part(h.open, ',', 3), ''), '0')::bigint AS estimated_milliwatt_hours,
  coalesce(nullif(split_part(h.open, ',', 4), ''), '0')::bigint AS export_milliwatt_hours,
  coalesce(nullif(split_part(h.open, ',', 5), ''), '0')::bigint AS reading_count,
  coalesce(nullif(split_part(h.open, ',', 6), ''), '0')::bigint AS covered_ms,
  coalesce(nullif(split_part(h.open, ',', 7), ''), '0')::bigint AS export_covered_ms
FROM device_heads h
WHERE h.open IS NOT NULL;
COMMENT ON VIEW open_hours IS 'The open hour of each device, as far as it is known.';

CREATE OR REPLACE VIEW open_quarter_hours AS
SELECT h.device_id, h.user_id, to_timestamp(split_part(h.open, ',', 1)::bigint * 3600 + q.place * 900) AS starts_at,
  coalesce(nullif(split_part(h.open, ',', 8 + q.place), ''), '0')::bigint AS energy_milliwatt_hours,
  coalesce(nullif(split_part(h.open, ',', 12 + q.place), ''), '0')::bigint AS estimated_milliwatt_hours,
  coalesce(nullif(split_part(h.open, ',', 16 + q.place), ''), '0')::bigint AS export_milliwatt_hours,
  coalesce(nullif(split_part(h.open, ',', 20 + q.place), ''), '0')::bigint AS reading_count,
  coalesce(nullif(split_part(h.open, ',', 24 + q.place), ''), '0')::bigint AS covered_ms,
  coalesce(nullif(split_part(h.open, ',', 28 + q.place), ''), '0')::bigint AS export_covered_ms
FROM device_heads h CROSS JOIN generate_series(0, 3) q (place)
WHERE h.open IS NOT NULL;
COMMENT ON VIEW open_quarter_hours IS 'The quarter-hours of open hours.';
