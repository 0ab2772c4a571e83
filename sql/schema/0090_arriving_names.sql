-- Accounts that move here from another cell: their callers and devices are sent here before the account is.
CREATE TABLE arriving_names (
  name    text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL
);
CREATE INDEX arriving_names_user ON arriving_names (user_id);
COMMENT ON TABLE arriving_names IS 'Ids and secrets of accounts that are moving here and are not open yet. Requests with them are answered 503, not 401. Removed when the account opens.';
COMMENT ON COLUMN arriving_names.name IS 'Id of an account, device or gateway, or the SHA-256 of a key or of the secret of a session, in upper-case hexadecimal digits.';
