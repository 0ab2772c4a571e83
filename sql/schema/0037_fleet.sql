-- Devices across accounts: what a utility filters and sorts them by, and when each of them was silent.

CREATE TABLE device_silences (
  device_id text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
  began_at  timestamptz NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  was_heard boolean NOT NULL,
  ended_at  timestamptz,
  PRIMARY KEY (device_id, began_at)
);
CREATE UNIQUE INDEX device_silences_open ON device_silences (device_id) WHERE ended_at IS NULL;
CREATE INDEX device_silences_open_since ON device_silences (began_at, device_id) WHERE ended_at IS NULL;
CREATE INDEX device_silences_began ON device_silences (began_at);
CREATE INDEX device_silences_ended ON device_silences (ended_at);
CREATE INDEX device_silences_user ON device_silences (user_id, began_at);
COMMENT ON TABLE device_silences IS 'Silences of devices for an hour or longer, noted by a worker each minute: one row a silence, none a reading. As long as readings are kept.';
COMMENT ON COLUMN device_silences.began_at IS 'When the last valid reading before it was received; of a device that was never heard when it was paired.';
COMMENT ON COLUMN device_silences.was_heard IS 'False: the device was never heard before.';
COMMENT ON COLUMN device_silences.ended_at IS 'When it was heard again, to the minute in which the worker saw it. Null: it is silent.';

CREATE TABLE silence_watches (
  began_at timestamptz PRIMARY KEY,
  ended_at timestamptz NOT NULL
);
COMMENT ON TABLE silence_watches IS 'From when to when workers looked for silences without a break of more than five minutes. One that began and ended between two of these is not known.';

-- Lists are walked in their order, or found by what is rare in them, whichever the planner finds shorter.
CREATE INDEX devices_by_location ON devices ((lower(location) COLLATE "C"), device_id) WHERE deleted_at IS NULL;
CREATE INDEX devices_by_created ON devices (created_at, device_id) WHERE deleted_at IS NULL;
CREATE INDEX devices_by_status ON devices (status) WHERE deleted_at IS NULL;
CREATE INDEX devices_by_placement ON devices (placement) WHERE deleted_at IS NULL;
-- Beginnings of words, whatever stands between them. PostgreSQL's own: pg_trgm is not everywhere.
CREATE INDEX devices_location_words ON devices USING gin
  (to_tsvector('simple', translate(location, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))) WHERE deleted_at IS NULL;
CREATE INDEX discovered_devices_device ON discovered_devices (device_id) WHERE device_id IS NOT NULL;
CREATE INDEX discovered_devices_family ON discovered_devices (family);
CREATE INDEX series_unknown ON series (device_id) WHERE channel ~ '(^|/)unknown/';
CREATE INDEX users_email_beginning ON users ((lower(email) COLLATE "C"), user_id);
CREATE INDEX users_role_plan ON users (role, plan);
