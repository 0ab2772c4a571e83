-- Who people are to a provider of identities (OpenID Connect), by what a session was signed in, and from where a key may be used.
-- Processes of the version before ask nothing of the new columns: to them a key is good from everywhere until they are replaced.
CREATE TABLE identities (
  issuer    text COLLATE "C" NOT NULL,
  subject   text COLLATE "C" NOT NULL,
  user_id   text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  linked_at timestamptz NOT NULL,
  used_at   timestamptz NOT NULL,
  PRIMARY KEY (issuer, subject),
  UNIQUE (user_id, issuer)
);
COMMENT ON TABLE identities IS 'Accounts by who they are to a provider: what sign-ins after the first go by. One of an account with each provider.';
COMMENT ON COLUMN identities.subject IS 'The provider''s own name of the person (sub): it never gives it to another, as it may an e-mail address.';
COMMENT ON COLUMN identities.used_at IS 'When it last signed in by it.';

ALTER TABLE sessions ADD COLUMN signed_in_by text NOT NULL DEFAULT 'mail' CHECK (signed_in_by IN ('mail', 'provider'));
COMMENT ON COLUMN sessions.signed_in_by IS 'mail: by a link or code; provider: by OpenID Connect.';

ALTER TABLE api_keys ADD COLUMN allowed_addresses text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN api_keys.allowed_addresses IS 'Addresses and networks (10.0.0.0/8) that the key may be used from. Empty: from everywhere.';
