-- Returns the readings of a series between two times whose values count, with their verdicts (null: plainly counted). Includes readings
-- of dropped times that retention has retained (closed_readings).
CREATE OR REPLACE FUNCTION counted_readings(of_series bigint, first_at timestamptz, last_at timestamptz)
RETURNS TABLE (read_at timestamptz, value bigint, verdict text) LANGUAGE sql STABLE AS $$
  SELECT r.read_at, r.value, n.verdict FROM (
    SELECT s.series_id, s.read_at, s.interval_ms, s.value FROM readings s
    WHERE s.series_id = of_series AND s.read_at BETWEEN first_at AND last_at
    UNION ALL
    SELECT k.series_id, k.read_at, k.interval_ms, k.value FROM closed_readings k
    WHERE k.series_id = of_series AND k.read_at BETWEEN first_at AND last_at
  ) r LEFT JOIN reading_notes n USING (series_id, read_at, interval_ms)
  WHERE n.verdict IS NULL OR n.verdict NOT IN ('glitch', 'held', 'passed', 'excluded')
$$;
