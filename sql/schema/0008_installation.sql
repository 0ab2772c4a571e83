-- Who this is to a broker, wherever the database moves.
CREATE TABLE installation (
  only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  installation_id text NOT NULL DEFAULT substr(replace(gen_random_uuid()::text, '-', ''), 1, 12)
);
INSERT INTO installation DEFAULT VALUES;
COMMENT ON TABLE installation IS 'One row: the name of this installation in its sessions at an external broker. A broker keeps messages for a name.';

CREATE TABLE ingest_slots (
  number        integer PRIMARY KEY,
  is_subscribed boolean NOT NULL
);
COMMENT ON TABLE ingest_slots IS 'Places of ingest workers, each with a session of its own at an external broker.';
COMMENT ON COLUMN ingest_slots.is_subscribed IS 'Whether the broker gives messages to that session: then somebody must take them, if its worker is gone.';
