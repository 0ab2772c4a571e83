-- Prevents the refresh until the end of the transaction. Must be called before the transaction takes any lock for which writers wait.
CREATE OR REPLACE FUNCTION hold_refresh() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(7241002 /* refresh */) $$;

-- Deletes everything that was computed for a user. Rows of the materialised tables are deleted directly, because deleting the load profile
-- does not change these tables, and a refresh would recompute all users. The refresh is prevented meanwhile, because it could write back
-- rows that it has read before.
CREATE OR REPLACE FUNCTION erase_consumption(whose text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  materialised text;
BEGIN
  PERFORM hold_refresh();
  DELETE FROM late_deltas WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
  -- Deletes hours before days, because packing moves rows from hours to days.
  DELETE FROM device_hours WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
  DELETE FROM device_days WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
  FOR materialised IN
    SELECT format('%I.%I', materialization_hypertable_schema, materialization_hypertable_name)
    FROM timescaledb_information.continuous_aggregates WHERE view_schema = current_schema()
  LOOP
    EXECUTE format($q$DELETE FROM %s WHERE user_id = $1 OR (user_id > $1 || '/' AND user_id < $1 || '0')$q$, materialised) USING whose;
  END LOOP;
END
$$;
