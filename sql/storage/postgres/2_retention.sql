-- Which pieces of the readings lie wholly before a time: name, and the time at which they end.
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

-- Drops them. Called by drop_readings (common/4_drop_readings.sql), which closes the series first.
CREATE OR REPLACE FUNCTION drop_pieces_before(before_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  p record;
BEGIN
  FOR p IN SELECT piece FROM readings_pieces_before(before_at) LOOP
    EXECUTE format('DROP TABLE %I', p.piece);
  END LOOP;
END
$$;
