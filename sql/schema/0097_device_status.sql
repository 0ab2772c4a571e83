-- The status is derived when a device is read: faulty by this column, otherwise active or inactive by the time of the last reading. Stored, it
-- changed with a device's first reading, and because it was indexed, that update added an entry to every index of the device.
ALTER TABLE devices DROP COLUMN status;
ALTER TABLE devices ADD COLUMN is_faulty boolean NOT NULL GENERATED ALWAYS AS (says_faulty OR bit_count(recent_rejects::bit(20)) > 10) STORED;
COMMENT ON COLUMN devices.is_faulty IS 'Whether the device reports a fault, or most of its last 20 messages and elements were rejected.';
CREATE INDEX devices_faulty ON devices (device_id) WHERE is_faulty AND deleted_at IS NULL;
