-- Keeps the refresh away until the end of the transaction. Taken before anything that writers wait for.
CREATE OR REPLACE FUNCTION hold_refresh() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(7241002 /* refresh */) $$;

-- Everything that was computed of a user, gone with this transaction: from the materialised tables, too, since deleting
-- the load profile leaves them as they were, and a refresh would compute everybody anew. The refresh is held, so that it does
-- not write back what it has read before.
CREATE OR REPLACE FUNCTION erase_consumption(whose text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  materialised text;
BEGIN
  PERFORM hold_refresh();
  DELETE FROM late_deltas WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
  -- Hours before days: packing moves them from the one to the other.
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
