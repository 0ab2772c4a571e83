-- Passkeys: people sign in to the dashboard with their device (WebAuthn) instead of a mail.
CREATE TABLE passkeys (
  passkey_id    text COLLATE "C" PRIMARY KEY,
  user_id       text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  credential_id text COLLATE "C" NOT NULL UNIQUE,
  public_key    bytea NOT NULL,
  counter       bigint NOT NULL,
  host          text NOT NULL,
  name          text NOT NULL,
  created_at    timestamptz NOT NULL,
  last_used_at  timestamptz
);
CREATE INDEX passkeys_user ON passkeys (user_id);
COMMENT ON TABLE passkeys IS 'Passkeys that sign in to an account. The private key is in the person''s device or password manager.';
COMMENT ON COLUMN passkeys.credential_id IS 'Identifier that the device gave to the passkey, in base64url.';
COMMENT ON COLUMN passkeys.public_key IS 'Public key in COSE format (RFC 9052).';
COMMENT ON COLUMN passkeys.counter IS 'Signature counter of the last sign-in. It must rise, unless the device has none and always sends 0: otherwise the passkey was copied.';
COMMENT ON COLUMN passkeys.host IS 'Host of PUBLIC_URL when the passkey was made. The passkey works at this host only.';
COMMENT ON COLUMN passkeys.name IS 'Name that the owner gave to it.';
COMMENT ON COLUMN passkeys.last_used_at IS 'Last sign-in with it; null: none yet.';

CREATE TABLE passkey_challenges (
  challenge_id text COLLATE "C" PRIMARY KEY,
  challenge    text NOT NULL,
  session_id   text COLLATE "C" UNIQUE REFERENCES sessions ON DELETE CASCADE,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_expires ON passkey_challenges (expires_at);
COMMENT ON TABLE passkey_challenges IS 'Challenges that a passkey must sign, each once and within minutes.';
COMMENT ON COLUMN passkey_challenges.challenge IS 'Random bytes in base64url.';
COMMENT ON COLUMN passkey_challenges.session_id IS 'Session that adds a passkey; null for a sign-in.';

ALTER TABLE sessions DROP CONSTRAINT sessions_signed_in_by_check,
  ADD CONSTRAINT sessions_signed_in_by_check CHECK (signed_in_by IN ('mail', 'provider', 'device', 'passkey'));
COMMENT ON COLUMN sessions.signed_in_by IS 'mail: by a link or code; provider: by OpenID Connect; device: by a link that another session made; passkey: by a passkey of the account.';

-- A passkey that was removed must not sign in to a restored installation.
ALTER TABLE endings DROP CONSTRAINT endings_kind_check,
  ADD CONSTRAINT endings_kind_check
    CHECK (kind IN ('account', 'app', 'authorization', 'device', 'gateway', 'key', 'member', 'passkey', 'session', 'webhook'));
COMMENT ON TABLE endings IS 'Ids of accounts, apps, authorizations, devices, gateways, keys, memberships, passkeys, sessions and webhooks that ended, committed with their end, until they are in ended.jsonl next to the back-ups.';
CREATE TRIGGER passkeys_note_ending AFTER DELETE ON passkeys FOR EACH ROW EXECUTE FUNCTION note_ending('passkey', 'passkey_id');
