-- Counts requests of accounts and failed authentications of addresses, both windows in one decision, across all processes.
-- counted: user ids, or addr:… for addresses; wanted: how many of each; limits: {plan: {minute, day}}, and for addresses
-- the plan "address". Rows are locked in order, so that two processes never wait for each other in a circle. The plan is
-- read here: a change of it holds at once.
CREATE OR REPLACE FUNCTION take_requests(counted_in text[], wanted_in integer[], limits jsonb, now_in timestamptz)
RETURNS TABLE (counted text, granted integer, minute_limit integer, minute_left integer, minute_wait_s double precision,
  day_limit integer, day_left integer, day_wait_s double precision, suspended_wait_s double precision)
LANGUAGE plpgsql AS $$
DECLARE
  one record;
  c request_counts;
  today date := (now_in AT TIME ZONE 'UTC')::date;
  plan_limits jsonb;
BEGIN
  FOR one IN SELECT key, sum(n)::integer AS n FROM unnest(counted_in, wanted_in) w (key, n) GROUP BY 1 ORDER BY 1 LOOP
    INSERT INTO request_counts VALUES (one.key, now_in, 0, today, 0, now_in, 0, '-infinity') ON CONFLICT DO NOTHING;
    SELECT * INTO c FROM request_counts r WHERE r.counted = one.key FOR UPDATE;
    plan_limits := limits -> coalesce((SELECT u.plan FROM users u WHERE u.user_id = one.key), 'address');
    minute_limit := (plan_limits ->> 'minute')::integer;
    day_limit := (plan_limits ->> 'day')::integer;
    -- A minute from its first request; the UTC day.
    IF now_in >= c.minute_from + interval '1 minute' OR now_in < c.minute_from THEN
      c.minute_from := now_in;
      c.minute_count := 0;
    END IF;
    IF c.day <> today THEN
      c.day := today;
      c.day_count := 0;
    END IF;
    granted := CASE WHEN c.suspended_until > now_in THEN 0
      ELSE greatest(0, least(one.n, minute_limit - c.minute_count, day_limit - c.day_count)) END;
    c.minute_count := c.minute_count + granted;
    c.day_count := c.day_count + granted;
    -- A thousand refusals within ten minutes suspend an account for a quarter of an hour.
    IF granted < one.n AND c.suspended_until <= now_in AND one.key NOT LIKE 'addr:%' THEN
      IF now_in >= c.denied_from + interval '10 minutes' OR c.denied_count = 0 THEN
        c.denied_from := now_in;
        c.denied_count := 0;
      END IF;
      c.denied_count := c.denied_count + one.n - granted;
      IF c.denied_count >= 1000 THEN
        c.suspended_until := now_in + interval '15 minutes';
        c.denied_count := 0;
      END IF;
    END IF;
    UPDATE request_counts r SET minute_from = c.minute_from, minute_count = c.minute_count, day = c.day, day_count = c.day_count,
      denied_from = c.denied_from, denied_count = c.denied_count, suspended_until = c.suspended_until
    WHERE r.counted = one.key;
    counted := one.key;
    minute_left := minute_limit - c.minute_count;
    minute_wait_s := extract(epoch FROM c.minute_from + interval '1 minute' - now_in);
    day_left := day_limit - c.day_count;
    day_wait_s := extract(epoch FROM ((today + 1)::timestamp AT TIME ZONE 'UTC') - now_in);
    -- Before PostgreSQL 17 nothing can be subtracted from an infinite time.
    suspended_wait_s := CASE WHEN c.suspended_until > now_in THEN extract(epoch FROM c.suspended_until - now_in) ELSE 0 END;
    RETURN NEXT;
  END LOOP;
END
$$;
