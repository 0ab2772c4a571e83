-- Retention drops readings, never the consumption that was computed from them.

ALTER TABLE series ADD COLUMN closed_until timestamptz;
COMMENT ON COLUMN series.closed_until IS 'Time of the first reading in closed_readings: an earlier one is refused, what it would change is dropped. Null: nothing was dropped.';

CREATE TABLE closed_readings (
  series_id   bigint NOT NULL REFERENCES series ON DELETE CASCADE,
  read_at     timestamptz NOT NULL,
  interval_ms bigint NOT NULL DEFAULT 0,
  value       bigint NOT NULL,
  PRIMARY KEY (series_id, read_at, interval_ms)
);
COMMENT ON TABLE closed_readings IS 'Per series the last plainly counted reading that retention dropped, and those after it: where the law of consumption goes on from.';
