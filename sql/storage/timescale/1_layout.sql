-- Readings and the load profile are hypertables. Their columns are those of sql/schema: each table is replaced once, while it is
-- empty, by a hypertable with the same columns.
DO $$
DECLARE
  t record;
BEGIN
  FOR t IN SELECT * FROM (VALUES ('readings', 'read_at', interval '7 days'), ('device_hours', 'starts_at', interval '28 days')) v (name, by_column, chunk) LOOP
    CONTINUE WHEN EXISTS (SELECT FROM timescaledb_information.hypertables WHERE hypertable_schema = current_schema() AND hypertable_name = t.name);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', t.name || '_chunked', t.name);
    EXECUTE format('COMMENT ON TABLE %I IS %L', t.name || '_chunked', obj_description(t.name::regclass, 'pg_class'));
    EXECUTE format('DROP TABLE %I', t.name);
    EXECUTE format('ALTER TABLE %I RENAME TO %I', t.name || '_chunked', t.name);
    PERFORM create_hypertable(t.name::regclass, by_range(t.by_column, t.chunk), create_default_indexes => false);
  END LOOP;
END
$$;

-- Does nothing on this tier: TimescaleDB creates chunks by itself.
CREATE OR REPLACE FUNCTION make_room(from_at timestamptz, to_at timestamptz) RETURNS text[] LANGUAGE sql AS $$ SELECT '{}'::text[] $$;

-- Returns the time range of a chunk of readings for a number of readings a day: one hour to four weeks. A chunk should have 25 million
-- rows (about 2.5 GB with their index), so that the chunk that is being written fits into the memory of a machine for this rate.
CREATE OR REPLACE FUNCTION chunk_length(readings_per_day double precision) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
  SELECT make_interval(hours => greatest(1, least(28 * 24, floor(24 * 25e6 / greatest(readings_per_day, 1))))::int)
$$;

-- Chooses the time range of the readings' next chunks by the rate of the newest complete chunks. Returns the chosen range if it is less
-- than half or more than twice the current one. Otherwise changes nothing and returns null, because slightly longer chunks do no harm.
CREATE OR REPLACE FUNCTION adapt_layout() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  per_day double precision;
  chosen interval;
  in_force interval;
BEGIN
  SELECT avg(approximate_row_count(format('%I.%I', chunk_schema, chunk_name)::regclass) / (extract(epoch FROM range_end - range_start) / 86400))
  INTO per_day
  FROM (
    SELECT * FROM timescaledb_information.chunks
    WHERE hypertable_schema = current_schema() AND hypertable_name = 'readings' AND range_end <= now()
    ORDER BY range_end DESC LIMIT 3
  ) newest;
  IF per_day IS NULL OR per_day = 0 THEN RETURN NULL; END IF;
  chosen := chunk_length(per_day);
  SELECT time_interval INTO in_force FROM timescaledb_information.dimensions
  WHERE hypertable_schema = current_schema() AND hypertable_name = 'readings' AND column_name = 'read_at';
  IF chosen BETWEEN in_force / 2 AND in_force * 2 THEN RETURN NULL; END IF;
  PERFORM set_chunk_time_interval('readings', chosen);
  RETURN chosen::text;
END
$$;
