-- Pages of accounts with silent devices walk the open silences in the order of their accounts. Two writes a silence, none a reading.
CREATE INDEX device_silences_open_of ON device_silences (user_id, device_id, began_at) WHERE ended_at IS NULL;
