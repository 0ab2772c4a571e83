-- Drops the readings before a time, in whole pieces (partitions or chunks), and closes the series first: of each the last
-- plainly counted reading before the cut is kept in closed_readings, with what came after it, so that the law of
-- consumption can go on from there and a reading that is late, but in time, is worked in exactly. Returns what it dropped.
CREATE OR REPLACE FUNCTION drop_readings(before_at timestamptz) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  cut timestamptz;
  dropped text[];
BEGIN
  SELECT max(ends_at), array_agg(piece) INTO cut, dropped FROM readings_pieces_before(before_at);
  IF cut IS NULL THEN RETURN '{}'; END IF;
  -- First of all, as writers come to their readings before they touch their series: else the two would wait for each other.
  LOCK TABLE readings IN ACCESS EXCLUSIVE MODE;
  WITH last_counted AS (
    SELECT s.series_id, c.read_at, c.interval_ms FROM series s CROSS JOIN LATERAL (
      SELECT r.read_at, r.interval_ms FROM readings r
      WHERE r.series_id = s.series_id AND r.read_at < cut AND NOT EXISTS (
        SELECT FROM reading_notes n WHERE n.series_id = r.series_id AND n.read_at = r.read_at AND n.interval_ms = r.interval_ms)
      ORDER BY r.read_at DESC, r.interval_ms DESC LIMIT 1
    ) c
  ), forgotten AS (
    DELETE FROM closed_readings k USING last_counted c
    WHERE k.series_id = c.series_id AND (k.read_at, k.interval_ms) < (c.read_at, c.interval_ms)
  ), closed AS (
    UPDATE series s SET closed_until = c.read_at FROM last_counted c WHERE s.series_id = c.series_id
  )
  INSERT INTO closed_readings (series_id, read_at, interval_ms, value)
  SELECT r.series_id, r.read_at, r.interval_ms, r.value
  FROM series s LEFT JOIN last_counted c USING (series_id)
  JOIN readings r ON r.series_id = s.series_id AND r.read_at < cut
    AND (c.series_id IS NULL OR (r.read_at, r.interval_ms) >= (c.read_at, c.interval_ms))
  ON CONFLICT DO NOTHING;
  -- What the owner was told stays; how single readings were taken went with them.
  DELETE FROM reading_notes n USING series s
  WHERE n.series_id = s.series_id AND n.read_at < s.closed_until AND n.verdict NOT IN ('swap', 'reset', 'rollover');
  PERFORM drop_pieces_before(before_at);
  RETURN dropped;
END
$$;
