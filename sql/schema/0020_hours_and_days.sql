-- The load profile is stored by the hour and, when it is old, by the day: a row a device and hour has the sums of before and three
-- of its quarter-hours; the first is what the sum leaves. What stood here, a row a quarter-hour, is read as such hours with one
-- quarter-hour, so nothing has to be rewritten, and every sum above stays as it is.

DROP VIEW IF EXISTS device_intervals, device_hourly, closed_device_hourly_expected;
DROP FUNCTION IF EXISTS apply_device_intervals, apply_device_hourly;
-- The sums of a device's hours are those of its rows: no copy of them is kept.
DO $$
BEGIN
  IF to_regclass('closed_device_hourly') IS NULL THEN RETURN; END IF;
  EXECUTE format('DROP %s closed_device_hourly', CASE (SELECT relkind FROM pg_class WHERE oid = 'closed_device_hourly'::regclass)
    WHEN 'v' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END);
END
$$;

ALTER TABLE closed_device_intervals RENAME TO device_hours;
DO $$
DECLARE
  r record;
  measure text;
BEGIN
  FOR r IN
    SELECT relname AS name, relkind AS kind FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relname ~ '^closed_device_intervals_(pkey|user|\d{4}_\d{2})$'
  LOOP
    EXECUTE format('ALTER %s %I RENAME TO %I', CASE WHEN r.kind IN ('i', 'I') THEN 'INDEX' ELSE 'TABLE' END, r.name,
      replace(r.name, 'closed_device_intervals', 'device_hours'));
  END LOOP;
  -- A column a statement: more of them a compressed hypertable does not take.
  FOREACH measure IN ARRAY ARRAY['energy_milliwatt_hours', 'estimated_milliwatt_hours', 'export_milliwatt_hours', 'reading_count', 'covered_ms', 'export_covered_ms'] LOOP
    FOR quarter IN 2 .. 4 LOOP
      EXECUTE format('ALTER TABLE device_hours ADD COLUMN %I bigint', measure || '_' || quarter);
    END LOOP;
  END LOOP;
END
$$;
COMMENT ON TABLE device_hours IS 'Closed hours of the load profile per device and UTC hour, until they are packed into device_days: the source of the stored aggregates.';
COMMENT ON COLUMN device_hours.starts_at IS 'Start of the hour, UTC; of a row from before there were hours, of its one quarter-hour.';
COMMENT ON COLUMN device_hours.energy_milliwatt_hours IS 'Sum of the hour, as of each measure; with _2, _3, _4 its quarter-hours after the first, null for 0; the first is what they leave.';
COMMENT ON COLUMN device_hours.estimated_milliwatt_hours IS 'Part of energy_milliwatt_hours that was spread over a register gap of more than an hour.';
COMMENT ON COLUMN device_hours.covered_ms IS 'Milliseconds (summed over channels) for which import is known.';

CREATE TABLE device_days (
  device_id                 text COLLATE "C" NOT NULL,
  day                       timestamptz NOT NULL,
  user_id                   text COLLATE "C" NOT NULL,
  energy_milliwatt_hours    integer[],
  estimated_milliwatt_hours integer[],
  export_milliwatt_hours    integer[],
  reading_count             integer[],
  covered_ms                integer[],
  export_covered_ms         integer[],
  PRIMARY KEY (device_id, day)
);
CREATE INDEX device_days_user ON device_days (user_id, day);
COMMENT ON TABLE device_days IS 'Load profile per device and UTC day, packed from device_hours some days later, for good. What comes late is in device_hours again: both are added up.';
COMMENT ON COLUMN device_days.day IS 'Start of the day, UTC.';
COMMENT ON COLUMN device_days.energy_milliwatt_hours IS 'As of each measure: its 96 quarter-hours; one element: all are the same; null: all are 0.';
-- Neither compressed nor shortened: a quarter-hour is then read at its place, and not out of a copy of the whole array.
ALTER TABLE device_days
  ALTER energy_milliwatt_hours SET STORAGE PLAIN, ALTER estimated_milliwatt_hours SET STORAGE PLAIN,
  ALTER export_milliwatt_hours SET STORAGE PLAIN, ALTER reading_count SET STORAGE PLAIN,
  ALTER covered_ms SET STORAGE PLAIN, ALTER export_covered_ms SET STORAGE PLAIN;
