-- What each reading of a device needs and changes is one row, its head: where the laws of its series stand, and its open hour.
-- What the load profile and the aggregates store are the hours before: they are renamed, and the names that everybody reads
-- become views of both (sql/rollups).

-- Fillfactor 50: a new version of a row fits into its page, so that no index is touched (a HOT update).
CREATE TABLE device_heads (
  device_id text COLLATE "C" NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  version   bigint NOT NULL,
  seen_at   timestamptz,
  laws      text NOT NULL DEFAULT '[]',
  open      text
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE device_heads IS 'One row per device: all that ingest changes with each of its readings.';
COMMENT ON COLUMN device_heads.version IS 'Drawn anew with each change of the head or the device: who knows another one knows an old state, and may not write.';
COMMENT ON COLUMN device_heads.seen_at IS 'When its last valid reading was received.';
COMMENT ON COLUMN device_heads.laws IS 'JSON: of each series that has readings [series_id, time of the last one in Unix ms, state of its law after it].';
COMMENT ON COLUMN device_heads.open IS 'The open hour: hours since 1970, of each measure (src/rollups/levels.ts) its sum, then of each its four quarter-hours; null: none is.';

CREATE FUNCTION new_version() RETURNS bigint LANGUAGE sql AS $$ SELECT (random() * 9007199254740991)::bigint $$;

INSERT INTO device_heads (device_id, user_id, version, seen_at, laws)
SELECT d.device_id, d.user_id, new_version(), d.last_seen_at, coalesce(s.laws, '[]')
FROM devices d LEFT JOIN (
  SELECT device_id, '[' || string_agg(format('[%s,%s,%s]', series_id, (extract(epoch FROM last_read_at) * 1000)::bigint, coalesce(tail::text, 'null')),
    ',' ORDER BY series_id) || ']' AS laws
  FROM series WHERE last_read_at IS NOT NULL GROUP BY 1
) s USING (device_id);
-- Once the rows are there: row by row a million of them took four times as long.
ALTER TABLE device_heads ADD PRIMARY KEY (device_id), ADD FOREIGN KEY (device_id) REFERENCES devices ON DELETE CASCADE;
CREATE INDEX device_heads_user ON device_heads (user_id);
ALTER TABLE series DROP COLUMN last_read_at, DROP COLUMN tail;
ALTER TABLE devices DROP COLUMN last_seen_at;
COMMENT ON TABLE series IS 'One row per device, channel and kind of quantity.';

-- Whatever changes a device changes its version, so that no worker goes on with what it remembers of it.
CREATE FUNCTION make_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO device_heads (device_id, user_id, version) VALUES (NEW.device_id, NEW.user_id, new_version());
  RETURN NULL;
END
$$;
CREATE FUNCTION change_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE device_heads SET version = new_version(), user_id = NEW.user_id WHERE device_id = NEW.device_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER devices_make_head AFTER INSERT ON devices FOR EACH ROW EXECUTE FUNCTION make_head();
CREATE TRIGGER devices_change_head AFTER UPDATE ON devices FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION change_head();

-- Views on the names of before are made anew by sql/rollups.
DROP VIEW IF EXISTS user_monthly, user_daily_expected, user_hourly_expected, device_hourly_expected, user_monthly_by_hour_expected;
DROP FUNCTION IF EXISTS note_usage_changes(interval_delta[]);
ALTER TABLE device_intervals RENAME TO closed_device_intervals;
COMMENT ON TABLE closed_device_intervals IS 'Load profile of closed hours per device and UTC quarter-hour: the only source of the stored aggregates.';
DO $$
DECLARE
  r record;
BEGIN
  FOR r IN
    SELECT c.relname AS name, c.relkind AS kind FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace
      AND c.relname ~ '^(device_intervals_(pkey|user|\d{4}_\d{2})|(device_hourly|user_hourly|user_daily|user_monthly_by_hour)(_pkey|_user)?)$'
  LOOP
    IF r.kind = 'v' AND r.name = 'user_monthly_by_hour' THEN
      EXECUTE format('DROP VIEW %I', r.name);
    ELSIF r.kind = 'v' THEN
      EXECUTE format('ALTER MATERIALIZED VIEW %I RENAME TO %I', r.name, 'closed_' || r.name);
    ELSIF r.kind IN ('i', 'I') THEN
      EXECUTE format('ALTER INDEX %I RENAME TO %I', r.name, 'closed_' || r.name);
    ELSE
      EXECUTE format('ALTER TABLE %I RENAME TO %I', r.name, 'closed_' || r.name);
    END IF;
  END LOOP;
END
$$;

-- Changed hours are left to the workers by the write: a row of it has one hour and whose it is.
ALTER TABLE usage_changes RENAME TO former_changes;
CREATE TABLE usage_changes (
  change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hour      timestamptz NOT NULL,
  user_ids  text[] COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE usage_changes IS 'Hours in which a write changed consumption, and whose, committed with the readings that did, until alerts are evaluated.';
COMMENT ON COLUMN usage_changes.hour IS 'Start of the hour, UTC.';
INSERT INTO usage_changes (hour, user_ids) SELECT hour, array_agg(DISTINCT user_id) FROM former_changes GROUP BY 1 ORDER BY 1;
DROP TABLE former_changes;
