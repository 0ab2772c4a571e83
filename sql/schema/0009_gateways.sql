-- What the devices behind a gateway have announced of themselves (discovery, births, units): later messages cannot be read
-- without it, whichever worker reads them.
CREATE TABLE gateway_announcements (
  gateway_id  text COLLATE "C" NOT NULL REFERENCES gateways ON DELETE CASCADE,
  topic       text COLLATE "C" NOT NULL,
  payload     bytea NOT NULL,
  place       bigint GENERATED ALWAYS AS IDENTITY,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (gateway_id, topic)
);
COMMENT ON TABLE gateway_announcements IS 'The last announcement on each topic below gw/{gateway_id}/, in order of place.';

ALTER TABLE gateways ADD COLUMN announced bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN gateways.announced IS 'Counts changes of its announcements: a worker that knows another number has missed some.';
