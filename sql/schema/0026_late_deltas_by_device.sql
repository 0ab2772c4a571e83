-- Late differences are folded in device by device.

CREATE INDEX late_deltas_day_device ON late_deltas (day, device_id);
DROP INDEX late_deltas_day;
DROP FUNCTION IF EXISTS fold_late_day(timestamptz);
