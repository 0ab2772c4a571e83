-- Adds to the request counters (request_counts) what a process has decided (src/auth/request-windows.ts), each row in one step. The
-- decision is valid only if the row's counters are between `least` and `most` and the account's plan has not changed. Otherwise nothing
-- is added, and the process decides again from the result: the row's counters, in the order of the columns, and the account's plan, so
-- that a changed plan applies at once. Rows are locked in order, so that two processes cannot deadlock.
CREATE OR REPLACE FUNCTION add_request_counts(counted_in text[], plan_in text[], least_in text[], most_in text[], add_in text[])
RETURNS TABLE (counted text, plan text, counters double precision[], is_done boolean) LANGUAGE plpgsql AS $$
DECLARE
  one record;
  account text;
BEGIN
  FOR one IN
    SELECT x.counted, x.plan, x.least::bigint[] AS least, x.most::bigint[] AS most, x.add::bigint[] AS add
    FROM unnest(counted_in, plan_in, least_in, most_in, add_in) x (counted, plan, least, most, add) ORDER BY 1
  LOOP
    counted := one.counted;
    -- The account whose requests are counted: for the keys of a device, the device's owner; for an app in a home, the app's owner; for a
    -- refused key, the key's owner. Every other counter has an account's own id, or an address.
    account := CASE
      WHEN one.counted LIKE 'device:%' THEN (SELECT d.user_id FROM devices d WHERE d.device_id = substr(one.counted, 8))
      WHEN one.counted LIKE 'app:%' THEN (SELECT a.user_id FROM apps a WHERE a.app_id = split_part(one.counted, ':', 3))
      WHEN one.counted LIKE 'key:%' THEN (SELECT k.user_id FROM api_keys k WHERE k.key_id = substr(one.counted, 5))
      ELSE one.counted END;
    plan := CASE WHEN one.counted NOT LIKE 'key:%' THEN (SELECT u.plan FROM users u WHERE u.user_id = account) END;
    is_done := false;
    IF plan IS NOT DISTINCT FROM one.plan THEN
      UPDATE request_counts r SET
        minute_from_ms = r.minute_from_ms + one.add[1],
        minute_count = r.minute_count + one.add[2],
        day_from_ms = r.day_from_ms + one.add[3],
        day_count = r.day_count + one.add[4],
        denied_from_ms = r.denied_from_ms + one.add[5],
        denied_count = r.denied_count + one.add[6],
        suspended_until_ms = r.suspended_until_ms + one.add[7]
      WHERE r.counted = one.counted
        AND r.minute_from_ms BETWEEN one.least[1] AND one.most[1]
        AND r.minute_count BETWEEN one.least[2] AND one.most[2]
        AND r.day_from_ms BETWEEN one.least[3] AND one.most[3]
        AND r.day_count BETWEEN one.least[4] AND one.most[4]
        AND r.denied_from_ms BETWEEN one.least[5] AND one.most[5]
        AND r.denied_count BETWEEN one.least[6] AND one.most[6]
        AND r.suspended_until_ms BETWEEN one.least[7] AND one.most[7]
      RETURNING ARRAY[r.minute_from_ms, r.minute_count, r.day_from_ms, r.day_count, r.denied_from_ms, r.denied_count,
        r.suspended_until_ms] INTO counters;
      is_done := FOUND;
    END IF;
    IF NOT is_done THEN
      -- Creates the row if this is the first request. For an account, the row is created only while the account exists and is not being
      -- erased: an erasure locks the account's row first and deletes the counters late, so that a row created meanwhile would remain.
      INSERT INTO request_counts SELECT one.counted
      WHERE one.counted LIKE 'addr:%' OR EXISTS (SELECT FROM users u WHERE u.user_id = account FOR KEY SHARE SKIP LOCKED)
      ON CONFLICT DO NOTHING;
      counters := (SELECT ARRAY[r.minute_from_ms, r.minute_count, r.day_from_ms, r.day_count, r.denied_from_ms, r.denied_count,
        r.suspended_until_ms] FROM request_counts r WHERE r.counted = one.counted);
      -- The account no longer exists: nothing is counted, and the request is not limited here.
      IF counters IS NULL THEN
        counters := ARRAY[0, 0, 0, 0, 0, 0, 0];
        is_done := true;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;
