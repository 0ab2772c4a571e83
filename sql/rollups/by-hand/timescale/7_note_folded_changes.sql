-- Records for the workers the changes that note_usage_changes omitted, once they are in the load profile. The workers process them when
-- their day is no longer stale.
CREATE OR REPLACE FUNCTION note_folded_changes(deltas interval_delta[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_changes (hour, user_ids)
  SELECT date_bin('1 hour', d.starts_at, 'epoch'), array_agg(DISTINCT d.user_id)
  FROM unnest(deltas) d WHERE d.energy_milliwatt_hours <> 0 OR d.covered_ms <> 0
  GROUP BY 1 ORDER BY 1
$$;
