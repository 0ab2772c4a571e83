-- Chunks are compressed into columns when they are too old for most late readings. They are segmented by the columns by which queries
-- select rows. A late row can still be written: its segment is decompressed, and compressed again later.
DO $$
BEGIN
  IF current_setting('timescaledb.license') <> 'timescale' THEN RETURN; END IF;
  ALTER TABLE readings SET (timescaledb.compress, timescaledb.compress_segmentby = 'series_id', timescaledb.compress_orderby = 'read_at, interval_ms');
  ALTER TABLE device_hours SET (timescaledb.compress, timescaledb.compress_segmentby = 'user_id, device_id', timescaledb.compress_orderby = 'starts_at');
END
$$;

-- Returns the chunks that lie completely before a time and are not compressed, or were written to after their compression; oldest first.
CREATE OR REPLACE FUNCTION history_to_compress(before_at timestamptz) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(format('%I.%I', c.schema_name, c.table_name) ORDER BY i.range_end), '{}')
  FROM timescaledb_information.chunks i
  JOIN _timescaledb_catalog.chunk c ON c.schema_name = i.chunk_schema AND c.table_name = i.chunk_name
  WHERE i.hypertable_schema = current_schema() AND i.hypertable_name IN ('readings', 'device_hours')
    -- Status bits: 1 compressed, 2 unordered, 8 partially compressed. If only bit 1 is set, nothing was written after the compression.
    AND i.range_end <= before_at AND c.status & 11 <> 1 AND current_setting('timescaledb.license') = 'timescale'
$$;

CREATE OR REPLACE FUNCTION compress_piece(piece text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM compress_chunk(piece::regclass);
END
$$;
