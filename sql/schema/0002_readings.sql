-- What devices said (readings), what could not be used (rejected_messages), what was odd about what was used
-- (reading_notes, quantity_changes; device_notes shows both), and the load profile that follows (device_intervals).

CREATE TABLE series (
  series_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id     text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
  channel       text NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('register', 'interval', 'power', 'temperature', 'setpoint', 'heating', 'humidity')),
  counts_import boolean NOT NULL DEFAULT false,
  counts_export boolean NOT NULL DEFAULT false,
  last_read_at  timestamptz,
  tail          jsonb,
  UNIQUE (device_id, channel, kind)
);
COMMENT ON TABLE series IS 'One row per device, channel and kind of quantity: the head of its readings.';
COMMENT ON COLUMN series.counts_import IS 'Its energy is part of kwh_used (the best quantity of its circuit).';
COMMENT ON COLUMN series.counts_export IS 'Its energy is part of export.';
COMMENT ON COLUMN series.tail IS 'State of the law of consumption after the last reading, so that readings in order need no look back.';

CREATE TABLE readings (
  series_id   bigint NOT NULL,
  read_at     timestamptz NOT NULL,
  interval_ms bigint NOT NULL DEFAULT 0,
  value       bigint NOT NULL,
  PRIMARY KEY (series_id, read_at, interval_ms)
) PARTITION BY RANGE (read_at);
COMMENT ON TABLE readings IS 'Every valid reading, once. Of two values for one time the lower is kept (law of consumption).';
COMMENT ON COLUMN readings.read_at IS 'Event time; for an interval its end.';
COMMENT ON COLUMN readings.interval_ms IS 'Length in ms of an interval reading; 0 for every other kind.';
COMMENT ON COLUMN readings.value IS 'register, interval: mWh; power: mW; temperature, setpoint: 0.001 °C; humidity: 0.001 %; heating: 0 or 1.';

CREATE TABLE reading_notes (
  series_id   bigint NOT NULL,
  read_at     timestamptz NOT NULL,
  interval_ms bigint NOT NULL DEFAULT 0,
  verdict     text NOT NULL,
  PRIMARY KEY (series_id, read_at, interval_ms)
);
COMMENT ON TABLE reading_notes IS 'Readings that were not plainly counted, and why: jitter, held, confirming, glitch, reset, rollover, swap, overlap. A reading without a row here was.';

CREATE TABLE quantity_changes (
  device_id  text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
  channel    text NOT NULL,
  noted_at   timestamptz NOT NULL,
  note       text NOT NULL,
  PRIMARY KEY (device_id, channel, noted_at, note)
);
COMMENT ON TABLE quantity_changes IS 'When a better quantity appeared on a channel, and its past was computed anew.';

CREATE VIEW device_notes AS
SELECT s.device_id, s.channel, n.read_at AS noted_at, n.verdict AS note
FROM reading_notes n JOIN series s USING (series_id)
WHERE n.verdict IN ('swap', 'reset', 'rollover')
UNION ALL
SELECT device_id, channel, noted_at, note FROM quantity_changes;
COMMENT ON VIEW device_notes IS 'What its owner should know of a device: a meter swapped, reset or rolled over, a better quantity found.';

CREATE TABLE rejected_messages (
  rejected_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  received_at timestamptz NOT NULL DEFAULT now(),
  device_id   text COLLATE "C",
  topic       text NOT NULL,
  payload     bytea NOT NULL,
  element     integer,
  reason      text NOT NULL
);
CREATE INDEX rejected_messages_device ON rejected_messages (device_id, received_at);
COMMENT ON TABLE rejected_messages IS 'Messages, or single elements of one (element: position from 0), that could not be used, payload cut at 64 KiB.';

CREATE TABLE device_intervals (
  device_id         text COLLATE "C" NOT NULL,
  starts_at         timestamptz NOT NULL,
  user_id           text COLLATE "C" NOT NULL,
  energy_mwh        bigint NOT NULL,
  estimated_mwh     bigint NOT NULL,
  export_mwh        bigint NOT NULL,
  reading_count     bigint NOT NULL,
  covered_ms        bigint NOT NULL,
  export_covered_ms bigint NOT NULL,
  PRIMARY KEY (device_id, starts_at)
) PARTITION BY RANGE (starts_at);
CREATE INDEX device_intervals_user ON device_intervals (user_id, starts_at);
COMMENT ON TABLE device_intervals IS 'Load profile: consumption per device and UTC quarter-hour, from every counted interval. The only source of the aggregates.';
COMMENT ON COLUMN device_intervals.energy_mwh IS 'Imported electricity in mWh (kwh_used, times a million).';
COMMENT ON COLUMN device_intervals.estimated_mwh IS 'Part of energy_mwh that was spread over a register gap of more than an hour.';
COMMENT ON COLUMN device_intervals.covered_ms IS 'Milliseconds of the bucket (summed over channels) for which import is known; rows with nothing known do not exist.';
