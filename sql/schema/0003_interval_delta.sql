-- What one write changes in the load profile. Every aggregate is a sum over quarter-hours, so every aggregate
-- follows from these differences alone, in whatever order they come.
CREATE TYPE interval_delta AS (
  device_id         text COLLATE "C",
  user_id           text COLLATE "C",
  starts_at         timestamptz,
  energy_mwh        bigint,
  estimated_mwh     bigint,
  export_mwh        bigint,
  reading_count     bigint,
  covered_ms        bigint,
  export_covered_ms bigint
);
COMMENT ON TYPE interval_delta IS 'Difference to one row of device_intervals; covered times tell when a row ceases to exist.';
