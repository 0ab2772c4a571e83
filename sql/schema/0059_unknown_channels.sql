-- The channel of a native message counts only if its name says what it is (decision 0109). Until now any text that did not say `export` counted
-- as import. Such channels that have counted go on counting as they did, in the circuit of their name; where their owner has not said what
-- they are, that is asked.

DROP INDEX series_unknown;
CREATE INDEX series_unknown_name ON series (device_id)
  WHERE coalesce(meant, channel) !~ '^(?:(?:(?!(?:import|export|m3|cooling|unknown)/)[^/]+/)*(?:import|export|(?:gas|heat|water)(?:/m3)?(?:/cooling)?(?:/(?:import|export))?)(?:/[tl]\d+)*|(?:[^/]+/)*ignored/.+)$'
    AND kind IN ('register', 'interval', 'power');

WITH unknown AS (
  SELECT device_id, channel, kind, native_name, string_to_array(channel, '/') AS words,
    bool_or(counts_import OR counts_export OR meter IS NOT NULL OR earlier_roles IS NOT NULL) OVER (PARTITION BY device_id, channel) AS has_counted
  FROM series
  WHERE channel !~ '^(?:(?:(?!(?:import|export|m3|cooling|unknown)/)[^/]+/)*(?:import|export|(?:gas|heat|water)(?:/m3)?(?:/cooling)?(?:/(?:import|export))?)(?:/[tl]\d+)*|(?:[^/]+/)*ignored/.+)$'
    AND kind IN ('register', 'interval', 'power') AND NOT 'unknown' = ANY (string_to_array(channel, '/'))
), meant AS (
  -- What such a channel counted as: the last of its words that says so, and the circuit that its other words named.
  SELECT device_id,
    coalesce(native_name, channel || CASE kind WHEN 'register' THEN ' energy_total_kwh' WHEN 'interval' THEN ' energy_kwh' ELSE ' power_w' END) AS name,
    coalesce(
      (SELECT word FROM unnest(words) WITH ORDINALITY w (word, at) WHERE word IN ('gas', 'heat', 'water') ORDER BY at DESC LIMIT 1),
      CASE WHEN 'export' = ANY (words) THEN 'export' ELSE 'import' END
        || coalesce('/' || (SELECT word FROM unnest(words) WITH ORDINALITY w (word, at) WHERE word ~ '^[tl][1-9]\d?$' ORDER BY at DESC LIMIT 1), '')) AS counts_as,
    coalesce((SELECT string_agg(word, '/' ORDER BY at) FROM unnest(words) WITH ORDINALITY w (word, at)
      WHERE word NOT IN ('import', 'export', 'gas', 'heat', 'water', 'm3', 'cooling') AND word !~ '^[tl]\d+$'), '') AS circuit
  FROM unknown WHERE has_counted
), words AS (
  SELECT d.device_id, jsonb_object_agg(m.name, jsonb_build_object('circuit', m.circuit)
    || CASE WHEN d.channels -> m.name ? 'counts_as' THEN '{}' ELSE jsonb_build_object('counts_as', m.counts_as, 'asked', true) END
    || coalesce(d.channels -> m.name, '{}')) AS channels
  FROM meant m JOIN devices d USING (device_id)
  GROUP BY d.device_id
)
UPDATE devices d SET channels = d.channels || w.channels FROM words w WHERE w.device_id = d.device_id;

COMMENT ON COLUMN devices.channels IS 'What its owner says of its quantities, by their native names: {"SML.Wert_A": {"counts_as": "import", "placement": "grid"}}. Of a channel of unknown name that had counted, migration 0059 wrote "circuit", and "counts_as" with "asked" where the owner had said nothing; a new "counts_as" of the owner removes both.';
