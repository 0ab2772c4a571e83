-- Secrets with which somebody plays a device for a while (energy import), beside its own.
CREATE TABLE temporary_secrets (
  secret_sha256 bytea PRIMARY KEY,
  device_id     text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
  expires_at    timestamptz NOT NULL
);
CREATE INDEX temporary_secrets_device ON temporary_secrets (device_id);
COMMENT ON TABLE temporary_secrets IS 'Secrets that a device''s login takes beside its own until they expire: of a running energy import.';
