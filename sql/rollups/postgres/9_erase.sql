-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.

-- Everything that was computed of a user, gone with this transaction.
CREATE OR REPLACE FUNCTION erase_consumption(whose text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Hours before days: packing moves them from the one to the other.
  DELETE FROM device_hours WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
  DELETE FROM device_days WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
  DELETE FROM closed_user_hourly WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
  DELETE FROM closed_user_daily WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
  DELETE FROM closed_user_monthly_by_hour WHERE (user_id = whose OR (user_id > whose || '/' AND user_id < whose || '0'));
END
$$;
