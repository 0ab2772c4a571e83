-- Edits of readings by hand: what a person said of them, and why. Rows are added and revoked, never removed, but with their device.
-- Processes of the version before do not know them. They set devices.computed_with aside as computed, and would leave an edit of that
-- moment without effect: stop the ingest workers of that version before edits are made (CHANGELOG).

CREATE TABLE reading_edits (
  edit_id    text COLLATE "C" PRIMARY KEY,
  device_id  text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
  channel    text,
  kind       text,
  from_at    timestamptz NOT NULL,
  to_at      timestamptz NOT NULL,
  value      bigint,
  reason     text NOT NULL,
  author     text COLLATE "C",
  created_at timestamptz NOT NULL,
  revoker    text COLLATE "C",
  revoked_at timestamptz,
  is_counted boolean NOT NULL DEFAULT false,
  CHECK (from_at < to_at),
  CHECK ((channel IS NULL) = (kind IS NULL)),
  CHECK (value IS NULL OR kind = 'register')
);
CREATE INDEX reading_edits_device ON reading_edits (device_id, edit_id);
-- Of a register a person reads one value at a time.
CREATE UNIQUE INDEX reading_edits_by_hand ON reading_edits (device_id, channel, from_at) WHERE value IS NOT NULL AND revoked_at IS NULL;
COMMENT ON TABLE reading_edits IS 'Edits of readings by hand: readings of a device that are passed over, and readings that a person read off a register.';
COMMENT ON COLUMN reading_edits.channel IS 'With kind: the series whose readings are passed over; null: every one of the device. Of a reading by hand its register.';
COMMENT ON COLUMN reading_edits.from_at IS 'From this time on, up to to_at, readings that were sent are passed over. Of a reading by hand its instant (to_at: 1 ms later).';
COMMENT ON COLUMN reading_edits.value IS 'What the register showed, in mWh (of volume: 0.001 l); null: nothing was read by hand.';
COMMENT ON COLUMN reading_edits.author IS 'The user who made it; null: the account was erased.';
COMMENT ON COLUMN reading_edits.revoker IS 'The user who revoked it; null: nobody, or the account was erased.';
COMMENT ON COLUMN reading_edits.is_counted IS 'What is stored of the device was computed with it. Where that is not so of an edit in force, or is so of a revoked one, devices.computed_with is set, and a worker computes it anew within seconds.';

COMMENT ON COLUMN readings.interval_ms IS 'Length in ms of an interval reading; 0 for every other kind; -1: read by hand (reading_edits).';
COMMENT ON TABLE reading_notes IS 'Readings that were not plainly counted, and why: jitter, held, confirming, glitch, late, passed, back, reset, rollover, swap, overlap, excluded. A reading without a row here was.';
COMMENT ON COLUMN devices.computed_with IS 'Settings of the law that its consumption was computed with, where they, its channels or its edits were changed since: the next write computes it anew. Null: those of the row.';
