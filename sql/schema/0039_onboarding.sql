-- Devices in bulk: which row of a file, which serial and which certificate a device is, and batches whose meters claim themselves.

ALTER TABLE devices
  ADD COLUMN external_id        text,
  ADD COLUMN imported_as        text,
  ADD COLUMN certificate_sha256 bytea CHECK (length(certificate_sha256) = 32);
COMMENT ON COLUMN devices.external_id IS 'What others call the device: a serial or asset number. Once in an account.';
COMMENT ON COLUMN devices.imported_as IS 'What row of an import it came from, where that had no external_id: ["type", "location"] as they were then. An import that is made again finds it by this, whatever its owner changed since.';
COMMENT ON COLUMN devices.certificate_sha256 IS 'SHA-256 of the client certificate (DER) that it logs in with. Null: one that names it by its id, where the broker asks for certificates.';
CREATE UNIQUE INDEX devices_external_id ON devices (external_id, user_id) WHERE deleted_at IS NULL AND external_id IS NOT NULL;
CREATE UNIQUE INDEX devices_imported_as ON devices (user_id, imported_as) WHERE deleted_at IS NULL AND imported_as IS NOT NULL;
CREATE UNIQUE INDEX devices_certificate ON devices (certificate_sha256) WHERE deleted_at IS NULL AND certificate_sha256 IS NOT NULL;

-- The seal of what is shown once goes after a day, the row stays: what was done, and when.
CREATE TABLE imports (
  import_id          text COLLATE "C" PRIMARY KEY,
  user_id            text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at         timestamptz NOT NULL DEFAULT now(),
  "rows"             integer NOT NULL CHECK ("rows" >= 0),
  created            integer NOT NULL CHECK (created >= 0),
  users_created      integer NOT NULL CHECK (users_created >= 0),
  differing          jsonb NOT NULL DEFAULT '[]',
  credentials_sealed bytea
);
CREATE INDEX imports_user ON imports (user_id, import_id);
COMMENT ON TABLE imports IS 'Imports of devices over HTTPS, each of which was carried out as a whole.';
COMMENT ON COLUMN imports.differing IS 'Rows of which the device was there already, with other settings: it was left as it is.';
COMMENT ON COLUMN imports.credentials_sealed IS 'Sealed JSON: ids and passwords of the new devices. Null once they were fetched, and after a day.';

CREATE TABLE provisioning_batches (
  batch_id      text COLLATE "C" PRIMARY KEY,
  user_id       text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  owner_user_id text COLLATE "C" REFERENCES users ON DELETE SET NULL,
  name          text NOT NULL,
  type          text NOT NULL,
  location      text NOT NULL,
  secret_sha256 bytea NOT NULL,
  serials       text[],
  max_devices   integer NOT NULL CHECK (max_devices > 0),
  claimed       integer NOT NULL DEFAULT 0 CHECK (claimed BETWEEN 0 AND max_devices),
  expires_at    timestamptz NOT NULL,
  revoked_at    timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX provisioning_batches_user ON provisioning_batches (user_id, batch_id);
CREATE INDEX provisioning_batches_owner ON provisioning_batches (owner_user_id);
COMMENT ON TABLE provisioning_batches IS 'Secrets that meters are made with, and claim their identities with at first contact.';
COMMENT ON COLUMN provisioning_batches.owner_user_id IS 'Whose a meter becomes that is registered nowhere (devices.external_id). Null: such a meter is refused.';
COMMENT ON COLUMN provisioning_batches.serials IS 'The only serials that may claim. Null: any.';

-- No key to the batch: an account moves to another installation without the batches of its utility.
CREATE TABLE device_claims (
  device_id    text COLLATE "C" PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
  batch_id     text COLLATE "C" NOT NULL,
  nonce_sha256 bytea,
  claimed_at   timestamptz NOT NULL
);
COMMENT ON TABLE device_claims IS 'Devices whose meters claimed them. While there is a row nobody claims the device again.';
COMMENT ON COLUMN device_claims.nonce_sha256 IS 'SHA-256 of a number that only the meter knows: with it the same claim may be repeated until the device was heard. Null: it gave none.';
