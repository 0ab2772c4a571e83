-- Hours whose consumption the differences change, for the workers that evaluate alerts. Called once they are in the
-- aggregates or about to be.
CREATE OR REPLACE FUNCTION note_usage_changes(deltas interval_delta[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_changes (user_id, hour)
  SELECT DISTINCT d.user_id, date_bin('1 hour', d.starts_at, 'epoch') FROM unnest(deltas) d
  WHERE d.energy_milliwatt_hours <> 0 OR d.covered_ms <> 0
$$;
