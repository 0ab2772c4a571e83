-- A better quantity counts from its first reading on, and takes nothing from what was counted before. Ingest workers of the version before would
-- store no first readings, and count a better quantity for all of the past: stop them first (CHANGELOG).
ALTER TABLE series ADD COLUMN first_read_at timestamptz, ADD COLUMN nonzero_at timestamptz;
COMMENT ON COLUMN series.first_read_at IS 'Time of its first reading: from then on it is a quantity that its circuit can be counted by. Null: it has none, or was always there.';
COMMENT ON COLUMN series.nonzero_at IS 'Of a register: time of its first reading that is not 0. A total that is 0 while one of its parts is not is no total up to then. Null: each reading is 0.';
COMMENT ON COLUMN series.earlier_roles IS 'What it is counted as before some times ("until_ms", Unix ms), in order: something better appeared then, or another role is worked in piece by piece: [{"until_ms", "import", "export", "meter", "is_tariff"}]. Null: as its row says, always.';
COMMENT ON TABLE quantity_changes IS 'When a better quantity appeared on a channel, and until when what it had before counts; or when its past was recomputed.';

UPDATE series s SET first_read_at = least(
  (SELECT r.read_at FROM readings r WHERE r.series_id = s.series_id AND r.interval_ms >= 0 ORDER BY r.read_at LIMIT 1),
  (SELECT k.read_at FROM closed_readings k WHERE k.series_id = s.series_id AND k.interval_ms >= 0 ORDER BY k.read_at LIMIT 1))
WHERE s.kind IN ('register', 'interval', 'power');

-- A register that is not 0 now is taken to have never been: all of its readings are looked at only next to a part, or a total, of the same device.
UPDATE series s SET nonzero_at = s.first_read_at
WHERE s.kind = 'register' AND (SELECT r.value FROM readings r WHERE r.series_id = s.series_id ORDER BY r.read_at DESC LIMIT 1) <> 0;
UPDATE series s SET nonzero_at =
  (SELECT r.read_at FROM readings r WHERE r.series_id = s.series_id AND r.interval_ms >= 0 AND r.value <> 0 ORDER BY r.read_at LIMIT 1)
WHERE s.kind = 'register' AND s.closed_until IS NULL
  AND EXISTS (SELECT FROM series p WHERE p.device_id = s.device_id AND p.kind = 'register' AND p.channel ~ '(^|/)[tl]\d+(/|$)')
  AND EXISTS (SELECT FROM series t WHERE t.device_id = s.device_id AND t.kind = 'register' AND t.channel !~ '(^|/)[tl]\d+(/|$)');

-- If this update, or that of 0057, computes a past again that counts otherwise, the owner gets one mail (src/users/recounted.ts).
ALTER TABLE users ADD COLUMN may_be_recounted boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN users.may_be_recounted IS 'Whether an update may still compute something of its home again that counts otherwise. The first device for which it does sets home_recounted.';
UPDATE users u SET may_be_recounted = true
WHERE EXISTS (SELECT FROM devices d JOIN series s USING (device_id) WHERE d.user_id = u.user_id AND d.deleted_at IS NULL AND s.first_read_at IS NOT NULL);

-- Devices of which something appeared later than the rest, or is 0 next to a part, or a power lies next to an unknown register: workers work out what counts otherwise.
UPDATE devices d SET computed_with = coalesce(computed_with,
  jsonb_build_object('limit_kw', limit_kw, 'register_max_kwh', register_max_kwh, 'max_gap_minutes', max_gap_minutes)) || '{"by_update": true}'
FROM (
  SELECT device_id FROM series WHERE kind IN ('register', 'interval', 'power') GROUP BY device_id
  HAVING count(DISTINCT first_read_at) > 1
    OR bool_or(kind = 'register' AND nonzero_at IS NULL) AND bool_or(kind = 'register' AND channel ~ '(^|/)[tl]\d+(/|$)')
    OR bool_or(kind = 'power') AND bool_or(kind = 'register' AND 'unknown' = ANY (string_to_array(channel, '/')))
) o
WHERE o.device_id = d.device_id AND d.deleted_at IS NULL;
