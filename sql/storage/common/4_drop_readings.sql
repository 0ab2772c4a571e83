-- Drops the readings before a time, in whole partitions or chunks, and returns the names of these. Closes all series first: for each
-- series, closed_readings retains the last plainly counted reading before the cut, all readings after it and, for a register, the earlier
-- readings that its counting rule still needs (3_register_memory.sql). The counting rule can therefore continue, and a late reading within
-- the retention is counted exactly.
CREATE OR REPLACE FUNCTION drop_readings(before_at timestamptz) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  cut timestamptz;
  dropped text[];
BEGIN
  SELECT max(ends_at), array_agg(piece) INTO cut, dropped FROM readings_pieces_before(before_at);
  IF cut IS NULL THEN RETURN '{}'; END IF;
  -- Locks the readings before the series, in the same order as writers, to avoid a deadlock.
  LOCK TABLE readings IN ACCESS EXCLUSIVE MODE;
  WITH closing AS MATERIALIZED (
    SELECT s.series_id, c.read_at AS closed_at, m.risen_at,
      coalesce(m.from_at, c.read_at) AS from_at, -- A reading by hand comes before a sent one of the same time.
      CASE WHEN m.from_at IS NULL THEN c.interval_ms ELSE -1 END AS from_interval_ms
    FROM series s
    CROSS JOIN LATERAL (
      SELECT r.read_at, r.interval_ms FROM readings r
      WHERE r.series_id = s.series_id AND r.read_at < cut AND NOT EXISTS (
        SELECT FROM reading_notes n WHERE n.series_id = r.series_id AND n.read_at = r.read_at AND n.interval_ms = r.interval_ms)
      ORDER BY r.read_at DESC, r.interval_ms DESC LIMIT 1
    ) c
    LEFT JOIN LATERAL register_memory(s.series_id, c.read_at) m ON s.kind = 'register'
  ), forgotten AS (
    DELETE FROM closed_readings k USING closing c
    WHERE k.series_id = c.series_id AND (k.read_at, k.interval_ms) < (c.from_at, c.from_interval_ms)
      AND k.read_at IS DISTINCT FROM c.risen_at
  ), closed AS (
    UPDATE series s SET closed_until = c.closed_at FROM closing c WHERE s.series_id = c.series_id
  )
  INSERT INTO closed_readings (series_id, read_at, interval_ms, value)
  SELECT r.series_id, r.read_at, r.interval_ms, r.value
  FROM series s LEFT JOIN closing c USING (series_id)
  JOIN readings r ON r.series_id = s.series_id AND r.read_at < cut
    AND (c.series_id IS NULL OR (r.read_at, r.interval_ms) >= (c.from_at, c.from_interval_ms) OR r.read_at = c.risen_at)
  -- The counting rule never receives readings that an edit excludes.
  WHERE NOT EXISTS (SELECT FROM reading_notes n WHERE n.series_id = r.series_id AND n.read_at = r.read_at
    AND n.interval_ms = r.interval_ms AND n.verdict = 'excluded')
  ON CONFLICT DO NOTHING;
  -- Verdicts that were reported to the owner remain. All others are deleted together with their readings.
  DELETE FROM reading_notes n USING series s
  WHERE n.series_id = s.series_id AND n.read_at < s.closed_until AND n.verdict NOT IN ('swap', 'reset', 'rollover')
    AND NOT EXISTS (SELECT FROM closed_readings k
      WHERE k.series_id = n.series_id AND k.read_at = n.read_at AND k.interval_ms = n.interval_ms);
  DELETE FROM lower_kept_readings WHERE read_at < cut;
  PERFORM drop_pieces_before(before_at);
  RETURN dropped;
END
$$;
