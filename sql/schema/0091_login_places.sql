-- At which ingest process with the broker inside each login is. Not logged: after a crash of the database the next logins note it again.
CREATE UNLOGGED TABLE login_places (
  username         text COLLATE "C" PRIMARY KEY,
  process_id       uuid NOT NULL,
  left_process_id  uuid
);
CREATE INDEX ON login_places (left_process_id) WHERE left_process_id IS NOT NULL;
COMMENT ON TABLE login_places IS 'Ingest process with the broker inside at which a device or gateway last connected.';
COMMENT ON COLUMN login_places.left_process_id IS 'Process at which it was before, until that process has ended its connections and dropped its sessions; null: done.';
