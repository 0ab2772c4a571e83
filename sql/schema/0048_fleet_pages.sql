-- Pages of accounts with silent devices walk the open silences in the order of their accounts. Two writes a silence, none a reading.
CREATE INDEX device_silences_open_of ON device_silences (user_id, device_id, began_at) WHERE ended_at IS NULL;

-- The month under way of a group, as far as its days are over. A unit of the sums of groups: whatever removes those removes it, processes of the version before, too.
ALTER TABLE kept_group_sums DROP CONSTRAINT kept_group_sums_unit_check,
  ADD CONSTRAINT kept_group_sums_unit_check CHECK (unit IN ('day', 'month', 'begun')),
  ADD COLUMN hours_of_day smallint[],
  ADD COLUMN used_by_hour bigint[],
  ADD COLUMN estimated_by_hour bigint[];
COMMENT ON COLUMN kept_group_sums.unit IS 'begun: of a month from its first day to an earlier one than its last, what is needed to go on with it.';
COMMENT ON COLUMN kept_group_sums.hours_of_day IS 'Of what is begun: hours of the day, in the zone, of which something is known of homes that are the sum of what they import.';
COMMENT ON COLUMN kept_group_sums.used_by_hour IS 'What these homes used in each of them together, mWh.';
COMMENT ON COLUMN kept_group_sums.estimated_by_hour IS 'The estimated part of it, mWh.';

CREATE TABLE kept_begun_homes (
  group_id     text COLLATE "C" NOT NULL,
  zone         text NOT NULL,
  unit         text NOT NULL DEFAULT 'begun' CHECK (unit = 'begun'),
  bucket       date NOT NULL,
  user_id      text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  hours_of_day smallint[] NOT NULL,
  balance      bigint[] NOT NULL,
  floor        bigint[] NOT NULL,
  alone        bigint[] NOT NULL,
  estimated    bigint[] NOT NULL,
  grid_ms      bigint[] NOT NULL,
  alone_ms     bigint[] NOT NULL,
  PRIMARY KEY (group_id, zone, unit, bucket, user_id),
  FOREIGN KEY (group_id, zone, unit, bucket) REFERENCES kept_group_sums ON DELETE CASCADE
);
CREATE INDEX kept_begun_homes_user ON kept_begun_homes (user_id);
COMMENT ON TABLE kept_begun_homes IS 'What each home that is more than its imports adds to such a month, by hour of the day: the bound of physics holds for its sums of the whole month.';
COMMENT ON COLUMN kept_begun_homes.balance IS 'mWh, as the other sums; grid_ms and alone_ms: ms. What they are: src/energy/home/sums.ts.';
