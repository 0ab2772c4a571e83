-- Adds to what is known of requests (request_counts) what a process has decided (src/auth/request-windows.ts), each row in one step:
-- only where its numbers lie from `least` to `most`, for which the decision holds, and the plan is the one that was decided by.
-- Otherwise the process decides anew on what it is answered here: the row's numbers, in the order of its columns, and the account's
-- plan, so that a changed one holds at once. Rows are locked in order, so that two processes never wait for each other in a circle.
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
    -- Of the keys of one device its owner's, of a refused key its owner's, and of an app in a home the app's owner's; what is counted is an
    -- account otherwise.
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
      -- The first process to count it makes its row. Of an account only while that is there: an erasure holds the account's row from its
      -- beginning on, deletes the counters late, and is not waited for; a row that were made meanwhile would stay.
      INSERT INTO request_counts SELECT one.counted
      WHERE one.counted LIKE 'addr:%' OR EXISTS (SELECT FROM users u WHERE u.user_id = account FOR KEY SHARE SKIP LOCKED)
      ON CONFLICT DO NOTHING;
      counters := (SELECT ARRAY[r.minute_from_ms, r.minute_count, r.day_from_ms, r.day_count, r.denied_from_ms, r.denied_count,
        r.suspended_until_ms] FROM request_counts r WHERE r.counted = one.counted);
      -- The account is gone: nothing is counted, and its request is answered as what it finds.
      IF counters IS NULL THEN
        counters := ARRAY[0, 0, 0, 0, 0, 0, 0];
        is_done := true;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;
