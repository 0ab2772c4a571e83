-- How people get into the dashboard: a link or a code by e-mail, which opens a session.

CREATE TABLE sign_ins (
  sign_in_id   text COLLATE "C" PRIMARY KEY,
  user_id      text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  token_sha256 bytea NOT NULL UNIQUE,
  code_mac     bytea NOT NULL,
  tried_codes  smallint NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX sign_ins_user ON sign_ins (user_id, created_at);
CREATE INDEX sign_ins_expires ON sign_ins (expires_at);
COMMENT ON TABLE sign_ins IS 'One-time links and codes that were sent and not used yet. Used ones are gone.';
COMMENT ON COLUMN sign_ins.code_mac IS 'HMAC of the code with the installation''s secret: a few digits are soon found from a bare hash.';

CREATE TABLE sessions (
  session_id    text COLLATE "C" PRIMARY KEY,
  user_id       text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  secret_sha256 bytea NOT NULL UNIQUE,
  created_at    timestamptz NOT NULL,
  last_seen_at  timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires_at);
COMMENT ON TABLE sessions IS 'Signed-in browsers. The secret is in the browser''s cookie and nowhere else.';
