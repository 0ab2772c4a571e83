-- What owners say of the quantities of their devices, above every guess (src/devices/channel-name.ts), and how the devices call them.

ALTER TABLE devices ADD COLUMN channels jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN devices.channels IS 'What its owner says of its quantities, by their native names: {"SML.Wert_A": {"counts_as": "import"}}.';
COMMENT ON COLUMN devices.computed_with IS 'Settings of the law that its consumption was computed with, where they or its channels were changed since: the next write computes it anew. Null: those of the row.';
-- A worker looks for these every few seconds.
CREATE INDEX devices_to_compute ON devices (device_id) WHERE computed_with IS NOT NULL;

ALTER TABLE series ADD COLUMN native_name text, ADD COLUMN unit text;
COMMENT ON COLUMN series.native_name IS 'How the device calls it. Null: a native device, or from before this was kept; then its channel and member.';
COMMENT ON COLUMN series.unit IS 'Unit of a quantity that nobody can tell, as far as the message says it; its values are stored as those of its kind.';
