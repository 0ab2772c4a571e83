-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- The one door of the ingest transaction: every level, bottom up.
CREATE OR REPLACE FUNCTION apply_interval_deltas(deltas interval_delta[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM apply_device_hours(deltas);
  PERFORM apply_user_hourly(deltas);
  PERFORM apply_user_daily(deltas);
  PERFORM apply_user_monthly_by_hour(deltas);
END
$$;
