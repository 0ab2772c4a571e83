-- Returns the chunks of the readings that lie completely before a time, each with its name and its end.
CREATE OR REPLACE FUNCTION readings_pieces_before(before_at timestamptz) RETURNS TABLE (piece text, ends_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT chunk_name::text, range_end FROM timescaledb_information.chunks
  WHERE hypertable_schema = current_schema() AND hypertable_name = 'readings' AND range_end <= before_at
  ORDER BY range_end
$$;

-- Drops the chunks of the readings that lie completely before a time. Called by drop_readings (common/4_drop_readings.sql), which
-- closes the series first.
CREATE OR REPLACE FUNCTION drop_pieces_before(before_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM drop_chunks('readings', older_than => before_at);
END
$$;
