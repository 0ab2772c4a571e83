-- Readings and the load profile, cut by month.

-- Makes the monthly partitions (`readings_2026_11`) that cover from_at to to_at, where they are missing.
-- Returns the names of those that it made.
CREATE OR REPLACE FUNCTION make_room(from_at timestamptz, to_at timestamptz) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  month timestamptz;
  partition text;
  made text[] := '{}';
BEGIN
  FOR month IN SELECT generate_series(date_trunc('month', from_at, 'UTC') AT TIME ZONE 'UTC', to_at AT TIME ZONE 'UTC', '1 month') AT TIME ZONE 'UTC' LOOP
    FOREACH parent IN ARRAY ARRAY['readings', 'device_hours'] LOOP
      partition := parent || to_char(month AT TIME ZONE 'UTC', '_YYYY_MM');
      CONTINUE WHEN to_regclass(partition) IS NOT NULL;
      -- One process at a time, until the end of its transaction; another may have made it meanwhile.
      PERFORM pg_advisory_xact_lock(7241001 /* partitions */);
      EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', partition, parent,
        month, (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
      made := made || partition;
    END LOOP;
  END LOOP;
  RETURN made;
END
$$;

-- Partitions take the months as they come.
CREATE OR REPLACE FUNCTION adapt_layout() RETURNS text LANGUAGE sql AS $$ SELECT NULL::text $$;
