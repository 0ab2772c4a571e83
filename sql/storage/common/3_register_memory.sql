-- What the law of consumption needs of a register beside its last counted reading before a cut (ingest/normalise/run.ts), to go on
-- and to take back: `risen_at`, the latest reading of the run at or before the start of the hour before that of the last reading
-- but one, to which the register had risen, and all readings since `from_at`. Between the two it stood still, without energy: an
-- export register that never moves must not keep all of its readings for ever.
-- `closed_at`: time of that last counted reading.
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
  -- The hour before that of the last reading but one.
  -- Here and below four hours are looked at first: mostly they suffice, and all of a series is much more.
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
    -- The run is younger than that: all of it.
    SELECT min(r.read_at) INTO risen_at FROM counted_readings(of_series, began_at, closed_at) r;
    from_at := risen_at;
    RETURN;
  END IF;
  -- The first that is kept since the last time, where the register has stood still since then: no need to look through all.
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
  -- From the last but one on that was plainly counted before that hour: what comes after is taken for the same again.
  SELECT r.read_at INTO from_at FROM counted_readings(of_series, greatest(risen_at, hour_before - interval '1 day'), hour_before) r
  WHERE r.verdict IS NULL ORDER BY r.read_at DESC OFFSET 1 LIMIT 1;
  -- Of a day all are kept, so that of a source that was frozen for less even the number of readings is right.
  IF from_at IS NULL OR from_at < risen_at + interval '1 day' THEN from_at := risen_at; END IF;
END
$$;
