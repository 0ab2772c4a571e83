-- From a reading to whoever is told: changed hours, firings of alerts, events and their deliveries.

-- Appended to by every writer and emptied by the workers: a queue. No foreign key, which would cost each write a look-up; a
-- row of an account that is gone is dropped by whoever takes it.
CREATE TABLE usage_changes (
  change_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id   text COLLATE "C" NOT NULL,
  hour      timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE usage_changes IS 'Hours whose consumption changed, committed with the readings that changed it, until alerts are evaluated.';
COMMENT ON COLUMN usage_changes.hour IS 'Start of the hour, UTC.';

CREATE TABLE usage_untold (
  user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  hour    timestamptz NOT NULL,
  PRIMARY KEY (user_id, hour)
);
COMMENT ON TABLE usage_untold IS 'Changed hours that somebody subscribed to, until the next usage.updated of their user.';

CREATE TABLE usage_told (
  user_id text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  told_at timestamptz NOT NULL
);
COMMENT ON TABLE usage_told IS 'When usage.updated was last told of a user: a minute lies between two.';

CREATE TABLE alert_firings (
  alert_id     text COLLATE "C" NOT NULL REFERENCES alerts ON DELETE CASCADE,
  period_start timestamptz NOT NULL,
  device_id    text COLLATE "C" NOT NULL DEFAULT '',
  period_end   timestamptz,
  total_mwh    bigint,
  event_id     text COLLATE "C" NOT NULL,
  fired_at     timestamptz NOT NULL,
  PRIMARY KEY (alert_id, period_start, device_id)
);
COMMENT ON TABLE alert_firings IS 'An alert fires once a period: this key is what guarantees it.';
COMMENT ON COLUMN alert_firings.device_id IS 'For no_data the silent device, whose silence is the period; empty otherwise.';
COMMENT ON COLUMN alert_firings.total_mwh IS 'In mWh, as it was when the alert fired. Null for no_data.';

DROP INDEX events_waiting;
ALTER TABLE events DROP COLUMN dispatched_at;
CREATE INDEX events_created ON events (created_at);
COMMENT ON TABLE events IS 'What happened, committed with what made it happen, and with a delivery for each subscription to it. user_id: whom it is about.';

CREATE TABLE deliveries (
  delivery_id     text COLLATE "C" PRIMARY KEY,
  event_id        text COLLATE "C" NOT NULL REFERENCES events ON DELETE CASCADE,
  webhook_id      text COLLATE "C" REFERENCES webhooks ON DELETE CASCADE,
  target          text COLLATE "C" NOT NULL,
  place           bigint GENERATED ALWAYS AS IDENTITY,
  status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
  tries           smallint NOT NULL DEFAULT 0,
  attempts        jsonb NOT NULL DEFAULT '[]',
  next_attempt_at timestamptz NOT NULL,
  leased_until    timestamptz,
  created_at      timestamptz NOT NULL,
  CHECK ((target IN ('email', 'sms')) = (webhook_id IS NULL))
);
CREATE INDEX deliveries_pending ON deliveries (target, place) WHERE status = 'pending';
CREATE INDEX deliveries_leased ON deliveries (target) WHERE leased_until IS NOT NULL;
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, delivery_id);
CREATE INDEX deliveries_event ON deliveries (event_id);
COMMENT ON TABLE deliveries IS 'One event on its way to one subscription, or by e-mail or SMS to the user that it is about; afterwards the log of it.';
COMMENT ON COLUMN deliveries.target IS 'The webhook_id, or email, or sms: one that is slow does not hold up the others.';
COMMENT ON COLUMN deliveries.place IS 'Order within the target: the oldest goes first.';
COMMENT ON COLUMN deliveries.tries IS 'Failed tries since it was made, or retried by hand: after the sixth it has failed.';
COMMENT ON COLUMN deliveries.attempts IS 'Log of all tries: {at, response_status, duration_ms, error}.';
COMMENT ON COLUMN deliveries.leased_until IS 'While a worker is at it: when another one may take it over.';

-- Whose events a subscription gets is found by its owner: paused ones get theirs, too.
DROP INDEX webhooks_event;
CREATE INDEX users_admins ON users (user_id) WHERE role = 'admin';

ALTER TABLE webhooks ADD COLUMN failing_since timestamptz;
ALTER TABLE webhooks ADD COLUMN failed_in_a_row integer NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN catching_up_to bigint;
COMMENT ON COLUMN webhooks.failing_since IS 'Beginning of the first failed try since the last success.';
COMMENT ON COLUMN webhooks.failed_in_a_row IS 'Deliveries whose retries ran out since the last success.';
COMMENT ON COLUMN webhooks.catching_up_to IS 'What waited when it was resumed, up to this place, is sent one by one.';

ALTER TABLE devices ADD COLUMN recent_rejects integer NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN says_faulty boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN devices.says_faulty IS 'Whether it said so of itself, and has not said since that it is online.';
COMMENT ON COLUMN devices.recent_rejects IS 'Its last 20 messages and elements as bits, the youngest lowest: 1 was rejected.';
