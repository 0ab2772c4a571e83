-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- Closes open hours before a time, of `most` devices after one of them: differences to days that are materialised are not seen
-- until the refresh has them in, and hours that were seen all along must not vanish for so long. A device that is being written
-- is left to its writer. Returns the last device, or null where none was left.
CREATE OR REPLACE FUNCTION close_open_hours(before_at timestamptz, after_id text, most integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  silent text[];
BEGIN
  silent := ARRAY(SELECT h.device_id FROM device_heads h
    WHERE h.device_id > after_id AND split_part(h.open, ',', 1)::bigint < extract(epoch FROM before_at) / 3600
    ORDER BY h.device_id LIMIT most FOR NO KEY UPDATE SKIP LOCKED);
  PERFORM apply_interval_deltas(array_agg(ROW (q.device_id, q.user_id, q.starts_at, q.energy_milliwatt_hours, q.estimated_milliwatt_hours, q.export_milliwatt_hours, q.reading_count, q.covered_ms, q.export_covered_ms)::interval_delta))
  FROM open_quarter_hours q WHERE q.device_id = ANY (silent) AND (q.energy_milliwatt_hours, q.estimated_milliwatt_hours, q.export_milliwatt_hours, q.reading_count, q.covered_ms, q.export_covered_ms) <> (0, 0, 0, 0, 0, 0) HAVING count(*) > 0;
  UPDATE device_heads SET open = NULL, version = new_version() WHERE device_id = ANY (silent);
  RETURN silent[cardinality(silent)];
END
$$;
