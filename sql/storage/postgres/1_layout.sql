-- Readings and the load profile are partitioned by month.

-- Creates the missing monthly partitions (such as `readings_2026_11`) from from_at to to_at. Returns the names of the created ones.
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
      -- Only one process at a time creates partitions, until the end of its transaction. Another may have created this one meanwhile.
      PERFORM pg_advisory_xact_lock(7241001 /* partitions */);
      EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', partition, parent,
        month, (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
      made := made || partition;
    END LOOP;
  END LOOP;
  RETURN made;
END
$$;

-- Does nothing on this tier: partitions always contain a month.
CREATE OR REPLACE FUNCTION adapt_layout() RETURNS text LANGUAGE sql AS $$ SELECT NULL::text $$;
