-- Of two values for one time the lower is stored. Each reading is returned with what it was taken for, and this is part of it.
CREATE TABLE lower_kept_readings (
  series_id   bigint NOT NULL,
  read_at     timestamptz NOT NULL,
  interval_ms bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (series_id, read_at, interval_ms)
);
COMMENT ON TABLE lower_kept_readings IS 'Readings of which a higher value was received for the same time, and rejected. From before this table existed: none.';
