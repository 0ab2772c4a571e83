-- What people and firmwares call their registers is judged together, for each device (decision 0107). A series keeps the channel that it is stored
-- under; what it is among all that its device has is "meant". Descriptions come with the next message of each device, which then is computed again
-- for its whole past. Ingest workers of the version before take no notice of either column: stop them first (CHANGELOG).
ALTER TABLE series ADD COLUMN described jsonb, ADD COLUMN meant text;
COMMENT ON COLUMN series.described IS 'How the device announced it, where it is judged with the others of its device: {"names", "understood", "unit", "commodity", "device", "ignored", "scope", "isAlone"}. Null: its channel says what it is.';
COMMENT ON COLUMN series.meant IS 'The channel by which it counts, where it is judged with the others of its device: "unknown/…" is asked, "ignored/…" is part of another or known not to count. Null: its own.';

-- What a paired device has keeps its channel, by what the device calls it.
UPDATE discovered_devices x SET channels = (
  SELECT jsonb_agg(q || coalesce((
    SELECT jsonb_build_object('native', s.native_name) FROM series s
    WHERE s.device_id = x.device_id AND s.native_name IS NOT NULL AND s.channel = q ->> 'channel' AND s.kind = CASE q ->> 'kind'
      WHEN 'energy_total_kwh' THEN 'register' WHEN 'volume_total_m3' THEN 'register' WHEN 'energy_interval_kwh' THEN 'interval'
      WHEN 'power_w' THEN 'power' WHEN 'temperature_c' THEN 'temperature' WHEN 'setpoint_c' THEN 'setpoint' ELSE q ->> 'kind' END), '{}') ORDER BY n)
  FROM jsonb_array_elements(x.channels) WITH ORDINALITY e (q, n))
WHERE x.device_id IS NOT NULL AND x.channels <> '[]';
