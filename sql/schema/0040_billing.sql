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

CREATE TABLE bill_periods (
  bill_period_id text COLLATE "C" PRIMARY KEY,
  user_id        text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  device_id      text COLLATE "C" REFERENCES devices ON DELETE CASCADE,
  first_day      date NOT NULL,
  last_day       date NOT NULL CHECK (last_day >= first_day),
  timezone       text NOT NULL,
  starts_at      timestamptz NOT NULL,
  ends_at        timestamptz NOT NULL CHECK (ends_at > starts_at),
  created_at     timestamptz NOT NULL,
  closed_at      timestamptz
);
CREATE INDEX bill_periods_user ON bill_periods (user_id, bill_period_id);
CREATE INDEX bill_periods_device ON bill_periods (device_id) WHERE device_id IS NOT NULL;
COMMENT ON TABLE bill_periods IS 'Days for which a home, or one device, is billed. Those of one home, and those of one device, have no day in common.';
COMMENT ON COLUMN bill_periods.device_id IS 'The device that is billed by itself. Null: the home, at its connection point.';
COMMENT ON COLUMN bill_periods.timezone IS 'Zone of the account when the period was made: its days are of this one.';
COMMENT ON COLUMN bill_periods.starts_at IS 'Start of the first day, or where the period of the day before ended (the account may have had another zone).';
COMMENT ON COLUMN bill_periods.ends_at IS 'End of the last day, or where the period of the day after begins.';
COMMENT ON COLUMN bill_periods.closed_at IS 'When it was closed: what changes of its days later is told by another one. Null: it is open.';

CREATE TABLE bill_versions (
  bill_period_id            text COLLATE "C" NOT NULL REFERENCES bill_periods ON DELETE CASCADE,
  version                   integer NOT NULL CHECK (version > 0),
  told                      jsonb NOT NULL,
  sha256                    bytea NOT NULL,
  import_milliwatt_hours    bigint NOT NULL,
  export_milliwatt_hours    bigint NOT NULL,
  estimated_milliwatt_hours bigint NOT NULL,
  PRIMARY KEY (bill_period_id, version)
);
COMMENT ON TABLE bill_versions IS 'What was told of a bill period, in order. Rows are only added: keep_bills refuses that they change. They go with their period.';
COMMENT ON COLUMN bill_versions.told IS 'The statement as the interface answers it (docs/billing.md), without its checksum.';
COMMENT ON COLUMN bill_versions.sha256 IS 'SHA-256 of the statement in its canonical form.';
COMMENT ON COLUMN bill_versions.import_milliwatt_hours IS 'What flowed in within the period, as it was known: without adjustments of others.';
COMMENT ON COLUMN bill_versions.export_milliwatt_hours IS 'The same of what flowed out.';
COMMENT ON COLUMN bill_versions.estimated_milliwatt_hours IS 'Part of import_milliwatt_hours that was spread over a silence.';

CREATE TABLE bill_adjustments (
  told_in                text COLLATE "C" NOT NULL REFERENCES bill_periods ON DELETE CASCADE,
  bill_period_id         text COLLATE "C" NOT NULL REFERENCES bill_periods ON DELETE CASCADE,
  import_milliwatt_hours bigint NOT NULL,
  export_milliwatt_hours bigint NOT NULL,
  PRIMARY KEY (told_in, bill_period_id)
);
CREATE INDEX bill_adjustments_period ON bill_adjustments (bill_period_id);
COMMENT ON TABLE bill_adjustments IS 'By how much the days of a closed bill period were corrected after that, and in whose closing this was told. Only added to, as bill_versions.';
COMMENT ON COLUMN bill_adjustments.told_in IS 'The later period, with whose closing it was told.';
COMMENT ON COLUMN bill_adjustments.bill_period_id IS 'The period that was corrected.';

CREATE FUNCTION keep_bills() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER keep_bills BEFORE UPDATE ON bill_versions FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION keep_bills();
CREATE TRIGGER keep_bills BEFORE UPDATE ON bill_adjustments FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION keep_bills();
