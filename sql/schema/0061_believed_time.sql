-- Age is counted from a time that no single clock can move far: a start with a clock 14 months ahead deleted every raw reading.
CREATE TABLE believed_time (
  is_only       boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  at            timestamptz NOT NULL,
  confirmations bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE believed_time IS 'One row: the time from which the age of what is deleted is counted. Workers and ingest workers move it on by their monotonic clocks, a start moves it to its clock if that is at most 31 days ahead of it.';
COMMENT ON COLUMN believed_time.confirmations IS 'How often an operator has set it (energy doctor --confirm-clock). Running processes then adopt the new value.';

-- An installation that was in use continues from the last time at which its worker or its devices were active. Otherwise the first start sets the row.
INSERT INTO believed_time (at)
SELECT seen.at FROM (
  SELECT greatest((SELECT max(ended_at) FROM silence_watches), (SELECT max(seen_at) FROM device_heads)) AS at
) seen WHERE seen.at IS NOT NULL;

CREATE TABLE daily_runs (
  job     text COLLATE "C" PRIMARY KEY,
  ran_for timestamptz NOT NULL
);
COMMENT ON TABLE daily_runs IS 'The latest daily time (UTC) for which each daily job has run to its end, on any worker: a run that a stop, a sleep or a step of the clock missed is made up for.';
