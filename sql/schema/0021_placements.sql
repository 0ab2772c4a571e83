-- Where a device sits in its home: what the home used is made of all of them (src/energy/home).

ALTER TABLE devices
  ADD COLUMN placement text NOT NULL DEFAULT 'consumption'
    CHECK (placement IN ('grid', 'production', 'storage', 'consumption', 'excluded')),
  ADD COLUMN placement_by text NOT NULL DEFAULT 'type' CHECK (placement_by IN ('owner', 'decoder', 'type')),
  ADD COLUMN upstream_device_id text COLLATE "C";
COMMENT ON COLUMN devices.placement IS 'What it is in its home: the meter at the connection point, something that produces or stores, a consumer; excluded: no part of it. Holds for its whole past.';
COMMENT ON COLUMN devices.placement_by IS 'Who says so: its owner, the decoder that knows what it is, or its type.';
COMMENT ON COLUMN devices.upstream_device_id IS 'The consumption meter of the same user that it lies behind: its energy is part of that one''s.';
-- A home that has none of these is the sum of what its devices import, and is asked for by an index.
CREATE INDEX devices_composed ON devices (user_id) WHERE placement IN ('production', 'storage', 'excluded') OR upstream_device_id IS NOT NULL;
CREATE INDEX devices_placement ON devices (user_id, placement);

-- What is there, as a new one would be taken for (src/devices/known-placement.ts).
UPDATE devices d SET placement = guess.placement, placement_by = guess.placement_by
FROM (
  SELECT d.device_id, coalesce(by_family.placement, by_type.placement) AS placement,
    CASE WHEN by_family.placement IS NULL THEN 'type' ELSE 'decoder' END AS placement_by
  FROM devices d
  LEFT JOIN discovered_devices f USING (device_id)
  CROSS JOIN LATERAL (SELECT CASE
    WHEN f.family IN ('p1', 'dsmr-api', 'dsmr-reader', 'dsmr2mqtt', 'glow', 'rtlamr', 'wmbusmeters') THEN 'grid'
    WHEN translate(lower(f.native_id), '_-/.', '    ') ~ '\m(inverter|wechselrichter|omvormer|onduleur|solar|pv|opendtu|hoymiles|growatt|solaredge|fronius|enphase)\M' THEN 'production'
    WHEN translate(lower(f.native_id), '_-/.', '    ') ~ '\m(powerwall|battery storage|batteriespeicher|hausspeicher)\M' THEN 'storage' END AS placement) by_family
  CROSS JOIN LATERAL (SELECT CASE
    WHEN translate(lower(d.type), '_-/.', '    ') ~ '\m(inverter|microinverter|solar|pv|photovoltaics?|wind|generator)\M' THEN 'production'
    WHEN translate(lower(d.type), '_-/.', '    ') ~ '\m(battery|batteries|storage|powerwall)\M' THEN 'storage'
    WHEN translate(lower(d.type), '_-/.', '    ') ~ '\m(smart ?meter|electricity ?meter|grid|utility ?meter|main ?meter)\M' THEN 'grid'
    ELSE 'consumption' END AS placement) by_type
) guess
WHERE guess.device_id = d.device_id AND (guess.placement, guess.placement_by) <> ('consumption', 'type');

-- Totals of these homes change with it, of the past, too: their owners are told once, by mail (src/users/recounted.ts).
ALTER TABLE users ADD COLUMN home_recounted boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN users.home_recounted IS 'Whether the totals of its home were changed by an update, which it was not told yet.';
UPDATE users u SET home_recounted = true
WHERE EXISTS (SELECT FROM devices d JOIN series s USING (device_id) WHERE d.user_id = u.user_id AND d.placement = 'production' AND (s.counts_import OR s.counts_export))
   OR EXISTS (SELECT FROM devices d JOIN series s USING (device_id) WHERE d.user_id = u.user_id AND d.placement = 'storage' AND (s.counts_import OR s.counts_export))
   OR EXISTS (SELECT FROM devices d JOIN series s USING (device_id) WHERE d.user_id = u.user_id AND d.placement = 'grid' AND (s.counts_import OR s.counts_export))
     AND EXISTS (SELECT FROM devices d JOIN series s USING (device_id) WHERE d.user_id = u.user_id AND d.placement = 'consumption' AND (s.counts_import OR s.counts_export));
CREATE INDEX users_recounted ON users (user_id) WHERE home_recounted;
