-- How far the continuous aggregates are, where there are any; elsewhere these relations stay as they are made here.

CREATE TABLE rollup_progress (
  only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  direct_from     timestamptz NOT NULL DEFAULT '-infinity',
  materialised_to timestamptz NOT NULL DEFAULT '-infinity',
  refreshed_at    timestamptz
);
INSERT INTO rollup_progress DEFAULT VALUES;
COMMENT ON TABLE rollup_progress IS 'One row: how far the continuous aggregates are materialised. Unused where there are none.';
COMMENT ON COLUMN rollup_progress.direct_from IS 'Differences from here on go straight into the load profile; earlier ones wait in late_deltas. Never before materialised_to.';
COMMENT ON COLUMN rollup_progress.materialised_to IS 'Aggregates before this time are materialised, later ones computed as they are read.';
COMMENT ON COLUMN rollup_progress.refreshed_at IS 'End of the last pass that left nothing to do.';

CREATE TABLE late_deltas (
  day               timestamptz NOT NULL,
  device_id         text COLLATE "C" NOT NULL,
  user_id           text COLLATE "C" NOT NULL,
  starts_at         timestamptz NOT NULL,
  energy_mwh        bigint NOT NULL,
  estimated_mwh     bigint NOT NULL,
  export_mwh        bigint NOT NULL,
  reading_count     bigint NOT NULL,
  covered_ms        bigint NOT NULL,
  export_covered_ms bigint NOT NULL
);
CREATE INDEX late_deltas_day ON late_deltas (day);
CREATE INDEX late_deltas_user ON late_deltas (user_id);
COMMENT ON TABLE late_deltas IS 'Differences to days that are materialised already, committed with their readings, until the refresh adds them to the load profile day by day.';

CREATE TABLE stale_days (
  day       timestamptz PRIMARY KEY,
  from_hour timestamptz NOT NULL,
  to_hour   timestamptz NOT NULL,
  marks     bigint NOT NULL DEFAULT 1
);
COMMENT ON TABLE stale_days IS 'Materialised days whose load profile has changed since, and between which of their hours: what the refresh does next.';
COMMENT ON COLUMN stale_days.marks IS 'How often the day was marked: tells the refresh whether it was marked again meanwhile.';
