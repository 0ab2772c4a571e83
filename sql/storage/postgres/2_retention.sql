-- Returns the partitions of the readings that lie completely before a time, each with its name and its end.
CREATE OR REPLACE FUNCTION readings_pieces_before(before_at timestamptz) RETURNS TABLE (piece text, ends_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT name, ends_at FROM (
    SELECT c.relname::text AS name,
      (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''(.+)''\)'))[1]::timestamptz AS ends_at
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'readings'::regclass
  ) p
  WHERE ends_at <= before_at ORDER BY ends_at
$$;

-- Drops the partitions of the readings that lie completely before a time. Called by drop_readings (common/4_drop_readings.sql), which
-- closes the series first.
CREATE OR REPLACE FUNCTION drop_pieces_before(before_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  p record;
BEGIN
  FOR p IN SELECT piece FROM readings_pieces_before(before_at) LOOP
    EXECUTE format('DROP TABLE %I', p.piece);
  END LOOP;
END
$$;
