-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- A device's open hour is in its head, until a later one begins.
CREATE OR REPLACE VIEW open_hours AS
SELECT h.device_id, h.user_id, to_timestamp(o.n[1] * 3600) AS hour,
  o.n[2] + o.n[3] + o.n[4] + o.n[5] AS energy_milliwatt_hours,
  o.n[6] + o.n[7] + o.n[8] + o.n[9] AS estimated_milliwatt_hours,
  o.n[10] + o.n[11] + o.n[12] + o.n[13] AS export_milliwatt_hours,
  o.n[14] + o.n[15] + o.n[16] + o.n[17] AS reading_count,
  o.n[18] + o.n[19] + o.n[20] + o.n[21] AS covered_ms,
  o.n[22] + o.n[23] + o.n[24] + o.n[25] AS export_covered_ms
FROM device_heads h CROSS JOIN LATERAL (SELECT string_to_array(h.open, ',')::bigint[] AS n OFFSET 0) o
WHERE h.open IS NOT NULL;
COMMENT ON VIEW open_hours IS 'The open hour of each device, as far as it is known.';

CREATE OR REPLACE VIEW open_quarter_hours AS
SELECT h.device_id, h.user_id, to_timestamp(o.n[1] * 3600 + q.place * 900) AS starts_at,
  o.n[2 + q.place] AS energy_milliwatt_hours,
  o.n[6 + q.place] AS estimated_milliwatt_hours,
  o.n[10 + q.place] AS export_milliwatt_hours,
  o.n[14 + q.place] AS reading_count,
  o.n[18 + q.place] AS covered_ms,
  o.n[22 + q.place] AS export_covered_ms
FROM device_heads h CROSS JOIN LATERAL (SELECT string_to_array(h.open, ',')::bigint[] AS n OFFSET 0) o
CROSS JOIN generate_series(0, 3) q (place)
WHERE h.open IS NOT NULL;
COMMENT ON VIEW open_quarter_hours IS 'The quarter-hours of open hours.';
