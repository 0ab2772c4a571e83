-- Sums of groups of homes, kept from one question to the next, and what tells that one no longer holds.

CREATE TABLE group_sums_progress (
  only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  noted_before timestamptz NOT NULL DEFAULT '-infinity',
  kept_before  timestamptz NOT NULL DEFAULT '-infinity' CHECK (kept_before <= noted_before)
);
INSERT INTO group_sums_progress DEFAULT VALUES;
COMMENT ON TABLE group_sums_progress IS 'One row: up to where sums of groups are kept. -infinity: of none.';
COMMENT ON COLUMN group_sums_progress.noted_before IS 'Whoever changes a closed hour before this time notes its day in changed_home_days.';
COMMENT ON COLUMN group_sums_progress.kept_before IS 'Sums of buckets that end by then are kept: every writer that knew an earlier noted_before is over.';

CREATE TABLE changed_home_days (
  change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id   text COLLATE "C" NOT NULL,
  day       timestamptz NOT NULL
);
CREATE INDEX changed_home_days_user ON changed_home_days (user_id);
COMMENT ON TABLE changed_home_days IS 'UTC days of homes that changed after sums of groups may have been kept of them: no such sum holds. Appended to by the write itself; a worker removes the sums, then the row.';
COMMENT ON COLUMN changed_home_days.day IS 'Start of the day; -infinity: all days.';

CREATE TABLE kept_groups (
  group_id    text COLLATE "C" PRIMARY KEY REFERENCES home_groups ON DELETE CASCADE,
  homes       integer NOT NULL,
  composition bytea,
  before      timestamptz NOT NULL,
  looked_at   timestamptz
);
COMMENT ON TABLE kept_groups IS 'Groups of which sums are kept, or which were too small for that.';
COMMENT ON COLUMN kept_groups.composition IS 'SHA-256 of whose sums they are, and of what each of these homes was made of, before the time in `before`. Null: none are kept.';
COMMENT ON COLUMN kept_groups.looked_at IS 'When a worker last found nothing left to do. Null: there is something.';

CREATE TABLE kept_group_homes (
  group_id text COLLATE "C" NOT NULL REFERENCES kept_groups ON DELETE CASCADE,
  user_id  text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX kept_group_homes_user ON kept_group_homes (user_id);
COMMENT ON TABLE kept_group_homes IS 'Whose sums are kept of a group. Where one is missing of kept_groups.homes, none of them holds.';

CREATE TABLE kept_group_sums (
  group_id                  text COLLATE "C" NOT NULL REFERENCES kept_groups ON DELETE CASCADE,
  zone                      text NOT NULL,
  unit                      text NOT NULL CHECK (unit IN ('day', 'month')),
  bucket                    date NOT NULL,
  starts_at                 timestamptz NOT NULL,
  ends_at                   timestamptz NOT NULL,
  used_milliwatt_hours      bigint,
  estimated_milliwatt_hours bigint,
  peak                      bigint,
  PRIMARY KEY (group_id, zone, unit, bucket)
);
COMMENT ON TABLE kept_group_sums IS 'What the homes of a group used together on a day or in a month of a zone, as it is answered.';
COMMENT ON COLUMN kept_group_sums.bucket IS 'The day, or the first one of the month, in the zone.';
COMMENT ON COLUMN kept_group_sums.used_milliwatt_hours IS 'Null: nothing is known of any home.';
COMMENT ON COLUMN kept_group_sums.peak IS 'Of a day the start of the hour in which they used most, Unix seconds; of a month the hour of the day. Null: there is none.';

CREATE TABLE kept_device_pasts (
  device_id                 text COLLATE "C" PRIMARY KEY,
  user_id                   text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  before                    timestamptz NOT NULL,
  begins_at                 timestamptz NOT NULL,
  net_export_milliwatt_hours bigint
);
CREATE INDEX kept_device_pasts_user ON kept_device_pasts (user_id);
COMMENT ON TABLE kept_device_pasts IS 'What the closed hours of devices of homes in groups said before a time: their whole past need not be read for each answer. Not while changed_home_days has the home.';
COMMENT ON COLUMN kept_device_pasts.begins_at IS 'Start of the quarter-hour in which its first counted interval begins.';
COMMENT ON COLUMN kept_device_pasts.net_export_milliwatt_hours IS 'What had flowed out of it less what had flowed in. Null: it produces nothing.';
