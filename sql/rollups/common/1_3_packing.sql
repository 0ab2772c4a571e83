-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- Packs the hours that device_hours has of a UTC day into device_days, of `most` devices after one of them: adds them to what is packed
-- of the day, in one statement, so that whoever reads sees each once. Hours that are being written or erased are left to a later pass, and
-- so are those of a device of which a quarter-hour is beyond an integer (8 MW), or that changed hands that day. Returns the last
-- device, or null where none was left. Called under the lock of packing only.
CREATE OR REPLACE FUNCTION pack_day(which timestamptz, after_id text, most integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  -- One by one, each by the index: of a million devices a piece must not look at all.
  devices text[] := ARRAY(
    WITH RECURSIVE next (device_id) AS (
      SELECT (SELECT h.device_id FROM device_hours h WHERE h.starts_at >= which AND h.starts_at < which + interval '24 hours' AND h.device_id > after_id ORDER BY 1 LIMIT 1)
      UNION ALL
      SELECT (SELECT h.device_id FROM device_hours h WHERE h.starts_at >= which AND h.starts_at < which + interval '24 hours' AND h.device_id > n.device_id ORDER BY 1 LIMIT 1) FROM next n WHERE n.device_id IS NOT NULL
    )
    SELECT device_id FROM next WHERE device_id IS NOT NULL LIMIT most);
  locked_ids text[];
  locked_times timestamptz[];
BEGIN
  -- A statement of its own, so that the next one sees these rows as they are now. One that was written to since a statement began it
  -- would read as it is, and hypertables (TimescaleDB 2.28) would not delete it: it would be there twice.
  SELECT array_agg(device_id), array_agg(starts_at) INTO locked_ids, locked_times FROM (
    SELECT h.device_id, h.starts_at FROM device_hours h WHERE h.device_id = ANY (devices) AND h.starts_at >= which AND h.starts_at < which + interval '24 hours' FOR UPDATE SKIP LOCKED
  ) locked;
  WITH taken AS MATERIALIZED (
    SELECT h.* FROM device_hours h WHERE h.device_id = ANY (devices) AND h.starts_at >= which AND h.starts_at < which + interval '24 hours'
      AND (h.device_id, h.starts_at) IN (SELECT * FROM unnest(locked_ids, locked_times))
  ), pieces AS (
    SELECT h.device_id, h.user_id, date_part('epoch', h.starts_at - which)::integer / 900 + q.place AS place,
      CASE q.place WHEN 0 THEN h.energy_milliwatt_hours - coalesce(h.energy_milliwatt_hours_2, 0) - coalesce(h.energy_milliwatt_hours_3, 0) - coalesce(h.energy_milliwatt_hours_4, 0) WHEN 1 THEN coalesce(h.energy_milliwatt_hours_2, 0) WHEN 2 THEN coalesce(h.energy_milliwatt_hours_3, 0) WHEN 3 THEN coalesce(h.energy_milliwatt_hours_4, 0) END AS energy_milliwatt_hours,
      CASE q.place WHEN 0 THEN h.estimated_milliwatt_hours - coalesce(h.estimated_milliwatt_hours_2, 0) - coalesce(h.estimated_milliwatt_hours_3, 0) - coalesce(h.estimated_milliwatt_hours_4, 0) WHEN 1 THEN coalesce(h.estimated_milliwatt_hours_2, 0) WHEN 2 THEN coalesce(h.estimated_milliwatt_hours_3, 0) WHEN 3 THEN coalesce(h.estimated_milliwatt_hours_4, 0) END AS estimated_milliwatt_hours,
      CASE q.place WHEN 0 THEN h.export_milliwatt_hours - coalesce(h.export_milliwatt_hours_2, 0) - coalesce(h.export_milliwatt_hours_3, 0) - coalesce(h.export_milliwatt_hours_4, 0) WHEN 1 THEN coalesce(h.export_milliwatt_hours_2, 0) WHEN 2 THEN coalesce(h.export_milliwatt_hours_3, 0) WHEN 3 THEN coalesce(h.export_milliwatt_hours_4, 0) END AS export_milliwatt_hours,
      CASE q.place WHEN 0 THEN h.reading_count - coalesce(h.reading_count_2, 0) - coalesce(h.reading_count_3, 0) - coalesce(h.reading_count_4, 0) WHEN 1 THEN coalesce(h.reading_count_2, 0) WHEN 2 THEN coalesce(h.reading_count_3, 0) WHEN 3 THEN coalesce(h.reading_count_4, 0) END AS reading_count,
      CASE q.place WHEN 0 THEN h.covered_ms - coalesce(h.covered_ms_2, 0) - coalesce(h.covered_ms_3, 0) - coalesce(h.covered_ms_4, 0) WHEN 1 THEN coalesce(h.covered_ms_2, 0) WHEN 2 THEN coalesce(h.covered_ms_3, 0) WHEN 3 THEN coalesce(h.covered_ms_4, 0) END AS covered_ms,
      CASE q.place WHEN 0 THEN h.export_covered_ms - coalesce(h.export_covered_ms_2, 0) - coalesce(h.export_covered_ms_3, 0) - coalesce(h.export_covered_ms_4, 0) WHEN 1 THEN coalesce(h.export_covered_ms_2, 0) WHEN 2 THEN coalesce(h.export_covered_ms_3, 0) WHEN 3 THEN coalesce(h.export_covered_ms_4, 0) END AS export_covered_ms
    FROM taken h CROSS JOIN generate_series(0, 3) q (place)
    UNION ALL
    SELECT d.device_id, d.user_id, q.place,
      coalesce(d.energy_milliwatt_hours[CASE WHEN cardinality(d.energy_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint,
      coalesce(d.estimated_milliwatt_hours[CASE WHEN cardinality(d.estimated_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint,
      coalesce(d.export_milliwatt_hours[CASE WHEN cardinality(d.export_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint,
      coalesce(d.reading_count[CASE WHEN cardinality(d.reading_count) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint,
      coalesce(d.covered_ms[CASE WHEN cardinality(d.covered_ms) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint,
      coalesce(d.export_covered_ms[CASE WHEN cardinality(d.export_covered_ms) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint
    FROM device_days d CROSS JOIN generate_series(0, 95) q (place)
    WHERE d.device_id = ANY (devices) AND d.device_id IN (SELECT device_id FROM taken) AND d.day = which
    UNION ALL
    SELECT t.device_id, t.user_id, q.place, 0, 0, 0, 0, 0, 0
    -- Where hours are missing: each that is there has all of its quarter-hours.
    FROM (SELECT device_id, user_id FROM taken GROUP BY 1, 2 HAVING count(*) FILTER (WHERE starts_at = date_bin('1 hour', starts_at, 'epoch')) < 24) t
      CROSS JOIN generate_series(0, 95) q (place)
  ), quarter_hours AS (
    SELECT device_id, user_id, place,
      sum(energy_milliwatt_hours)::bigint AS energy_milliwatt_hours,
      sum(estimated_milliwatt_hours)::bigint AS estimated_milliwatt_hours,
      sum(export_milliwatt_hours)::bigint AS export_milliwatt_hours,
      sum(reading_count)::bigint AS reading_count,
      sum(covered_ms)::bigint AS covered_ms,
      sum(export_covered_ms)::bigint AS export_covered_ms
    -- A row that an earlier version wrote of the day's last quarter-hour has nothing behind it.
    FROM pieces WHERE place < 96 GROUP BY 1, 2, 3
  ), days AS MATERIALIZED (
    SELECT device_id, user_id,
      CASE WHEN min(energy_milliwatt_hours) < max(energy_milliwatt_hours) THEN array_agg(energy_milliwatt_hours ORDER BY place) WHEN max(energy_milliwatt_hours) <> 0 THEN ARRAY[max(energy_milliwatt_hours)] END AS energy_milliwatt_hours,
      CASE WHEN min(estimated_milliwatt_hours) < max(estimated_milliwatt_hours) THEN array_agg(estimated_milliwatt_hours ORDER BY place) WHEN max(estimated_milliwatt_hours) <> 0 THEN ARRAY[max(estimated_milliwatt_hours)] END AS estimated_milliwatt_hours,
      CASE WHEN min(export_milliwatt_hours) < max(export_milliwatt_hours) THEN array_agg(export_milliwatt_hours ORDER BY place) WHEN max(export_milliwatt_hours) <> 0 THEN ARRAY[max(export_milliwatt_hours)] END AS export_milliwatt_hours,
      CASE WHEN min(reading_count) < max(reading_count) THEN array_agg(reading_count ORDER BY place) WHEN max(reading_count) <> 0 THEN ARRAY[max(reading_count)] END AS reading_count,
      CASE WHEN min(covered_ms) < max(covered_ms) THEN array_agg(covered_ms ORDER BY place) WHEN max(covered_ms) <> 0 THEN ARRAY[max(covered_ms)] END AS covered_ms,
      CASE WHEN min(export_covered_ms) < max(export_covered_ms) THEN array_agg(export_covered_ms ORDER BY place) WHEN max(export_covered_ms) <> 0 THEN ARRAY[max(export_covered_ms)] END AS export_covered_ms,
      least(min(energy_milliwatt_hours), min(estimated_milliwatt_hours), min(export_milliwatt_hours), min(reading_count), min(covered_ms), min(export_covered_ms)) >= -2147483648 AND greatest(max(energy_milliwatt_hours), max(estimated_milliwatt_hours), max(export_milliwatt_hours), max(reading_count), max(covered_ms), max(export_covered_ms)) <= 2147483647
        AND count(*) OVER (PARTITION BY device_id) = 1 AS fits
    FROM quarter_hours GROUP BY 1, 2
  ), gone AS (
    DELETE FROM device_hours h USING taken t JOIN days d USING (device_id)
    WHERE d.fits AND h.device_id = t.device_id AND h.starts_at = t.starts_at AND h.starts_at >= which AND h.starts_at < which + interval '24 hours'
  ), emptied AS (
    DELETE FROM device_days o USING days d WHERE d.fits AND o.device_id = d.device_id AND o.day = which AND num_nonnulls(d.energy_milliwatt_hours, d.estimated_milliwatt_hours, d.export_milliwatt_hours, d.reading_count, d.covered_ms, d.export_covered_ms) = 0
  )
  INSERT INTO device_days (device_id, day, user_id, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
  SELECT device_id, which, user_id, energy_milliwatt_hours::integer[], estimated_milliwatt_hours::integer[], export_milliwatt_hours::integer[], reading_count::integer[], covered_ms::integer[], export_covered_ms::integer[]
  FROM days WHERE fits AND num_nonnulls(energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms) > 0 ORDER BY device_id
  ON CONFLICT (device_id, day) DO UPDATE SET
    energy_milliwatt_hours = excluded.energy_milliwatt_hours,
    estimated_milliwatt_hours = excluded.estimated_milliwatt_hours,
    export_milliwatt_hours = excluded.export_milliwatt_hours,
    reading_count = excluded.reading_count,
    covered_ms = excluded.covered_ms,
    export_covered_ms = excluded.export_covered_ms;
  RETURN devices[cardinality(devices)];
END
$$;

-- Gives back the disk that the indexes of a partition or chunk take of which all hours are packed: vacuum gives back a table's, and not
-- theirs. Waits for nobody: what is in use is left to a later pass. Returns which one, or null where there was none.
CREATE OR REPLACE FUNCTION release_hours() RETURNS regclass LANGUAGE plpgsql AS $$
DECLARE
  piece regclass;
BEGIN
  FOR piece IN SELECT inhrelid FROM pg_inherits
    WHERE inhparent = 'device_hours'::regclass AND pg_relation_size(inhrelid) = 0 AND pg_indexes_size(inhrelid) > 65536
  LOOP
    BEGIN
      EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE NOWAIT', piece);
      IF pg_relation_size(piece) = 0 THEN
        EXECUTE format('TRUNCATE %s', piece);
        RETURN piece;
      END IF;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN NULL;
END
$$;

-- Makes hours again of `most` packed days. Returns of how many.
CREATE OR REPLACE FUNCTION unpack_days(most integer, whose text[] DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  deltas interval_delta[];
  unpacked bigint;
BEGIN
  WITH gone AS (
    DELETE FROM device_days d USING (SELECT device_id, day FROM device_days WHERE whose IS NULL OR user_id = ANY (whose) ORDER BY 1, 2 LIMIT most FOR UPDATE) first
    WHERE d.device_id = first.device_id AND d.day = first.day RETURNING d.*
  ), quarter_hours AS (
    SELECT g.device_id, g.user_id, g.day + q.place * interval '15 minutes' AS starts_at,
      coalesce(g.energy_milliwatt_hours[CASE WHEN cardinality(g.energy_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS energy_milliwatt_hours,
      coalesce(g.estimated_milliwatt_hours[CASE WHEN cardinality(g.estimated_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS estimated_milliwatt_hours,
      coalesce(g.export_milliwatt_hours[CASE WHEN cardinality(g.export_milliwatt_hours) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS export_milliwatt_hours,
      coalesce(g.reading_count[CASE WHEN cardinality(g.reading_count) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS reading_count,
      coalesce(g.covered_ms[CASE WHEN cardinality(g.covered_ms) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS covered_ms,
      coalesce(g.export_covered_ms[CASE WHEN cardinality(g.export_covered_ms) = 1 THEN 1 ELSE q.place + 1 END], 0)::bigint AS export_covered_ms
    FROM gone g CROSS JOIN generate_series(0, 95) q (place)
  )
  SELECT array_agg(ROW (device_id, user_id, starts_at, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)::interval_delta) FILTER (WHERE (energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms) <> (0, 0, 0, 0, 0, 0)),
    (SELECT count(*) FROM gone)
  INTO deltas, unpacked FROM quarter_hours;
  IF deltas IS NOT NULL THEN
    PERFORM apply_device_hours(deltas);
  END IF;
  RETURN unpacked;
END
$$;
