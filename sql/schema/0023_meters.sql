-- What is told apart of a device (src/database/meter.ts): channels with a place in the home of their own, and gas, heat and water. Its rows
-- of the load profile, and of every aggregate, have keys of their own: device_id and user_id with a slash and the meter behind them.

ALTER TABLE series ADD COLUMN meter text
  CHECK (meter IN ('grid', 'production', 'storage', 'consumption', 'excluded', 'gas', 'heat', 'water', 'gas_m3', 'heat_m3', 'water_m3'));
COMMENT ON COLUMN series.meter IS 'What its energy is told apart as: the place in the home that its owner gave to this quantity, or gas, heat, water (_m3: volume). Null: nothing.';
COMMENT ON COLUMN series.counts_import IS 'Its energy is part of the electricity that is imported (the best quantity of its circuit).';
COMMENT ON COLUMN devices.channels IS 'What its owner says of its quantities, by their native names: {"SML.Wert_A": {"counts_as": "import", "placement": "grid"}}.';
COMMENT ON COLUMN devices.computed_with IS 'Settings of the law that its consumption was computed with, where they or its channels were changed since: the next write computes it anew. Null: those of the row.';

-- A home is more than a sum of imports where a channel has a place of its own, too.
DROP INDEX devices_composed;
CREATE INDEX devices_composed ON devices (user_id)
  WHERE placement IN ('production', 'storage', 'excluded') OR upstream_device_id IS NOT NULL OR channels @? '$.*.placement';

-- Gas, heat and water that are stored already count from their first reading on, too.
UPDATE devices d SET computed_with = coalesce(computed_with,
  jsonb_build_object('limit_kw', limit_kw, 'register_max_kwh', register_max_kwh, 'max_gap_minutes', max_gap_minutes))
WHERE deleted_at IS NULL AND EXISTS (SELECT FROM series s WHERE s.device_id = d.device_id AND s.channel ~ '(^|/)(gas|heat|water)(/|$)');
