-- What the interface keeps beside readings: alerts, webhook subscriptions, gateways, and the outbox of events.

CREATE TABLE alerts (
  alert_id        text COLLATE "C" PRIMARY KEY,
  user_id         text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  type            text NOT NULL CHECK (type IN ('peak_usage', 'daily_usage', 'monthly_usage', 'no_data')),
  threshold_mwh   bigint CHECK (threshold_mwh > 0),
  threshold_hours integer CHECK (threshold_hours BETWEEN 1 AND 720),
  delivery        text NOT NULL CHECK (delivery IN ('email', 'sms', 'webhook')),
  status          text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
  created_at      timestamptz NOT NULL DEFAULT now(),
  CHECK ((type = 'no_data') = (threshold_mwh IS NULL) AND (type = 'no_data') = (threshold_hours IS NOT NULL))
);
CREATE INDEX alerts_user ON alerts (user_id, alert_id);
COMMENT ON TABLE alerts IS 'Thresholds on the usage of a user, and how its owner is told.';
COMMENT ON COLUMN alerts.threshold_mwh IS 'In mWh; above it the alert fires. Null for no_data.';
COMMENT ON COLUMN alerts.threshold_hours IS 'For no_data: hours of silence of a device.';

CREATE TABLE webhooks (
  webhook_id               text COLLATE "C" PRIMARY KEY,
  user_id                  text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  event                    text NOT NULL CHECK (event IN ('usage.updated', 'alert.triggered', 'device.connected', 'user.created')),
  url                      text NOT NULL,
  auth_token_sealed        bytea NOT NULL,
  former_token_sealed      bytea,
  former_token_valid_until timestamptz,
  status                   text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
  created_at               timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhooks_user ON webhooks (user_id, webhook_id);
CREATE INDEX webhooks_event ON webhooks (event) WHERE status = 'active';
COMMENT ON TABLE webhooks IS 'Subscriptions to one event each. The secret is sealed with the service''s key, and never shown.';
COMMENT ON COLUMN webhooks.former_token_sealed IS 'The secret before a rotation, valid beside the new one until former_token_valid_until.';

CREATE TABLE gateways (
  gateway_id         text COLLATE "C" PRIMARY KEY,
  user_id            text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  name               text NOT NULL,
  mqtt_secret_sha256 bytea NOT NULL,
  decoder_config     jsonb NOT NULL DEFAULT '{}',
  created_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX gateways_user ON gateways (user_id, gateway_id);
COMMENT ON TABLE gateways IS 'Brokers of households that are bridged to gw/{gateway_id}/….';

CREATE TABLE discovered_devices (
  discovery_id  text COLLATE "C" PRIMARY KEY,
  gateway_id    text COLLATE "C" NOT NULL REFERENCES gateways ON DELETE CASCADE,
  family        text NOT NULL,
  native_id     text NOT NULL,
  channels      jsonb NOT NULL DEFAULT '[]',
  device_id     text COLLATE "C" REFERENCES devices ON DELETE SET NULL,
  first_seen_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (gateway_id, family, native_id)
);
COMMENT ON TABLE discovered_devices IS 'Devices heard through a gateway. Of one that is not paired nothing but this row is kept.';
COMMENT ON COLUMN discovered_devices.device_id IS 'The device that it was paired as.';

ALTER TABLE devices ADD COLUMN computed_with jsonb;
COMMENT ON COLUMN devices.computed_with IS 'Settings of the law that its consumption was computed with, where they were changed since: the next write computes it anew. Null: those of the row.';

ALTER TABLE devices ADD COLUMN decoder_config jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN devices.decoder_config IS 'What a decoder must be told of this device: units, pulses, zone.';

CREATE TABLE events (
  event_id   text COLLATE "C" PRIMARY KEY,
  type       text NOT NULL,
  user_id    text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  data       jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  dispatched_at timestamptz
);
CREATE INDEX events_waiting ON events (event_id) WHERE dispatched_at IS NULL;
CREATE INDEX events_user ON events (user_id);
COMMENT ON TABLE events IS 'Outbox: what happened, committed with what made it happen, until it is handed to the subscriptions. user_id: whom it is about.';

CREATE TABLE idempotent_answers (
  user_id        text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  idempotency_key text NOT NULL,
  request_sha256 bytea NOT NULL,
  status         smallint,
  body_sealed    bytea,
  created_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, idempotency_key)
);
CREATE INDEX idempotent_answers_created ON idempotent_answers (created_at);
COMMENT ON TABLE idempotent_answers IS 'Answers to POSTs with an Idempotency-Key, for 24 h. Without a status the request is under way. Sealed: an answer may show a secret.';

-- Lost at a crash of the database, and then begun anew: that is worth not writing them ahead.
CREATE UNLOGGED TABLE request_counts (
  counted         text COLLATE "C" PRIMARY KEY,
  minute_from     timestamptz NOT NULL,
  minute_count    integer NOT NULL,
  day             date NOT NULL,
  day_count       integer NOT NULL,
  denied_from     timestamptz NOT NULL,
  denied_count    integer NOT NULL,
  suspended_until timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE request_counts IS 'Requests of an account (its user_id), or failed authentications of an address, in the windows that limits are set for.';
COMMENT ON COLUMN request_counts.denied_count IS 'Requests answered 429 since denied_from, ten minutes at most.';
