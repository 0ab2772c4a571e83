-- Returns which readings of a register the counting rule needs to continue after a cut, and to revert energy (ingest/normalise/run.ts), in
-- addition to the last plainly counted reading before the cut (at `closed_at`). These are the reading at `risen_at` and all readings since
-- `from_at`. `risen_at` is the latest reading of the run at which the register had risen, at or before the start of the clock hour that
-- precedes the hour of the second-last reading. Between `risen_at` and `from_at` the register stood still. Those readings are not needed:
-- an export register that never moves must not retain all of its readings forever.
CREATE OR REPLACE FUNCTION register_memory(of_series bigint, closed_at timestamptz, OUT risen_at timestamptz, OUT from_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  began_at timestamptz;
  hour_before timestamptz;
  standing bigint;
  moved_at timestamptz;
  since timestamptz;
BEGIN
  SELECT coalesce(max(n.read_at), '-infinity') INTO began_at FROM reading_notes n
  WHERE n.series_id = of_series AND n.read_at <= closed_at AND n.verdict IN ('reset', 'rollover', 'swap');
  -- Start of the clock hour that precedes the hour of the second-last reading.
  -- Each of these searches first looks at four hours, which usually suffice, because the whole series is much longer.
  FOREACH since IN ARRAY ARRAY[greatest(began_at, closed_at - interval '4 hours'), began_at] LOOP
    SELECT date_trunc('hour', r.read_at, 'UTC') - interval '1 hour' INTO hour_before
    FROM counted_readings(of_series, since, closed_at) r ORDER BY r.read_at DESC OFFSET 1 LIMIT 1;
    EXIT WHEN hour_before IS NOT NULL;
  END LOOP;
  FOREACH since IN ARRAY ARRAY[greatest(began_at, hour_before - interval '4 hours'), began_at] LOOP
    SELECT r.value INTO standing FROM counted_readings(of_series, since, hour_before) r
    WHERE r.verdict IS DISTINCT FROM 'jitter' ORDER BY r.read_at DESC LIMIT 1;
    EXIT WHEN standing IS NOT NULL;
  END LOOP;
  IF standing IS NULL THEN
    -- The run began later than that hour, so all of its readings are needed.
    SELECT min(r.read_at) INTO risen_at FROM counted_readings(of_series, began_at, closed_at) r;
    from_at := risen_at;
    RETURN;
  END IF;
  -- If the register has stood still since the previous cut, the first retained reading is the result, and no search is necessary.
  SELECT k.read_at INTO risen_at FROM closed_readings k
  WHERE k.series_id = of_series AND k.read_at >= began_at AND k.value = standing
    AND NOT EXISTS (SELECT FROM closed_readings e WHERE e.series_id = of_series AND e.read_at < k.read_at);
  IF risen_at IS NULL THEN
    FOREACH since IN ARRAY ARRAY[greatest(began_at, hour_before - interval '4 hours'), began_at] LOOP
      SELECT r.read_at INTO moved_at FROM counted_readings(of_series, since, hour_before) r
      WHERE r.value <> standing AND r.verdict IS DISTINCT FROM 'jitter' ORDER BY r.read_at DESC LIMIT 1;
      EXIT WHEN moved_at IS NOT NULL;
    END LOOP;
    SELECT r.read_at INTO risen_at
    FROM counted_readings(of_series, greatest(began_at, moved_at + interval '1 microsecond'), hour_before) r
    WHERE r.verdict IS DISTINCT FROM 'jitter' ORDER BY r.read_at LIMIT 1;
  END IF;
  -- Starts at the second-last plainly counted reading before that hour: from there on, a replay gives the same verdicts again.
  SELECT r.read_at INTO from_at FROM counted_readings(of_series, greatest(risen_at, hour_before - interval '1 day'), hour_before) r
  WHERE r.verdict IS NULL ORDER BY r.read_at DESC OFFSET 1 LIMIT 1;
  -- If the register stood still for less than a day, all readings are retained, so that even the number of readings is right.
  IF from_at IS NULL OR from_at < risen_at + interval '1 day' THEN from_at := risen_at; END IF;
END
$$;
