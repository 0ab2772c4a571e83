-- Keys that write the readings of one device over HTTPS, and nothing else.
ALTER TABLE api_keys ADD COLUMN device_id text COLLATE "C" REFERENCES devices (device_id) ON DELETE CASCADE;
ALTER TABLE api_keys ADD COLUMN made_by text CHECK (made_by IN ('owner', 'utility'));
ALTER TABLE api_keys ADD CONSTRAINT api_keys_device_maker CHECK ((device_id IS NULL) = (made_by IS NULL));
CREATE INDEX api_keys_device ON api_keys (device_id) WHERE device_id IS NOT NULL;
COMMENT ON COLUMN api_keys.device_id IS 'The key writes the readings of this device alone; it ends with the device. Null: all that its owner reaches.';
COMMENT ON COLUMN api_keys.made_by IS 'Who made a key of one device: a homeowner, or a utility or administrator. Readings of a utility''s device are not for keys that a homeowner made. Null: the key is not limited to a device.';
COMMENT ON TABLE request_counts IS 'Requests of an account (its user_id) or of the keys of one device (device:), refusals of such a key (key:), or failed authentications of an address (addr:), in the windows that limits are set for. Times in Unix ms; 0: none yet.';
