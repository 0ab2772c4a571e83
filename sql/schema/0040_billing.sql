-- What came late, and what bills were told.

CREATE TABLE late_changes (
  device_id              text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
  hour                   timestamptz NOT NULL,
  late_readings          bigint NOT NULL,
  corrections            bigint NOT NULL,
  import_milliwatt_hours bigint NOT NULL,
  export_milliwatt_hours bigint NOT NULL,
  changed_at             timestamptz NOT NULL,
  PRIMARY KEY (device_id, hour)
);
COMMENT ON TABLE late_changes IS 'Hours of devices that changed after they were known: by readings that came after later ones, by settings, by what the law took back. Readings that follow leave nothing here.';
COMMENT ON COLUMN late_changes.hour IS 'Start of the hour, UTC.';
COMMENT ON COLUMN late_changes.late_readings IS 'Readings of the hour that came when a later one of their series was stored already.';
COMMENT ON COLUMN late_changes.corrections IS 'How often energy of the hour changed in that way.';
COMMENT ON COLUMN late_changes.import_milliwatt_hours IS 'By how much the import of the hour changed in all.';
COMMENT ON COLUMN late_changes.export_milliwatt_hours IS 'The same of its export.';
COMMENT ON COLUMN late_changes.changed_at IS 'When it changed last.';
