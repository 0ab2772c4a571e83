-- Records for the workers which hours of which users a write changes. The arguments contain each pair of user and hour once. Omits changes
-- that wait for the refresh (late_deltas): they are recorded when they have been added to the load profile.
CREATE OR REPLACE FUNCTION note_usage_changes(user_ids text[], hours timestamptz[], open boolean[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_changes (hour, user_ids)
  SELECT c.hour, array_agg(c.user_id)
  FROM unnest(user_ids, hours, open) c (user_id, hour, is_open), rollup_progress p
  WHERE c.is_open OR c.hour >= p.direct_from
  GROUP BY 1 ORDER BY 1
$$;
