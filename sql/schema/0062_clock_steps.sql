-- Clocks of the hosts that receive messages. What has no time of its own has that of its receipt: a stretch that the clock goes over twice must not
-- count twice. Ingest workers of the version before do not know these edits: stop them first (CHANGELOG).
CREATE TABLE host_clocks (
  host         text COLLATE "C" PRIMARY KEY,
  stretch_from timestamptz NOT NULL,
  newest_at    timestamptz NOT NULL
);
COMMENT ON TABLE host_clocks IS 'One row per host that runs ingest workers.';
COMMENT ON COLUMN host_clocks.stretch_from IS 'First receipt since the start of its worker, or since its clock was last set ahead.';
COMMENT ON COLUMN host_clocks.newest_at IS 'Its newest receipt, to the second.';

CREATE TABLE clock_steps (
  host      text COLLATE "C" NOT NULL,
  before_at timestamptz NOT NULL,
  after_at  timestamptz NOT NULL,
  PRIMARY KEY (host, before_at, after_at)
);
COMMENT ON TABLE clock_steps IS 'Steps of the clocks of hosts that were believed: what a clock showed before and after. They belong to the set of messages.';

CREATE TABLE untimed_series (
  host      text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
  channel   text NOT NULL,
  kind      text NOT NULL,
  PRIMARY KEY (device_id, channel, kind, host)
);
COMMENT ON TABLE untimed_series IS 'Series that have sent readings without a time, and the hosts that received them.';

ALTER TABLE reading_edits ADD COLUMN instants bigint[];
COMMENT ON COLUMN reading_edits.instants IS 'Of an edit by the clock (author: clock): the readings that are passed over, Unix ms; its time is that over which the clock was set back. Null: every reading of its time.';
COMMENT ON COLUMN reading_edits.author IS 'The user who made it, or "clock": a host whose clock was set back; null: the account was erased.';
