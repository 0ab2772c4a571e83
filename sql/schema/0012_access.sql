-- Who gets in, and what is told again to whom.

-- An answer may show a key or a password: it is given again only to the key or session that it was given to. Those from
-- before do not say which that was.
DELETE FROM idempotent_answers;
ALTER TABLE idempotent_answers
  ADD COLUMN caller_id text COLLATE "C" NOT NULL,
  ALTER COLUMN status SET NOT NULL,
  ALTER COLUMN body_sealed SET NOT NULL,
  DROP CONSTRAINT idempotent_answers_pkey,
  ADD PRIMARY KEY (caller_id, idempotency_key);
CREATE INDEX idempotent_answers_user ON idempotent_answers (user_id);
COMMENT ON TABLE idempotent_answers IS 'Answers to POSTs with an Idempotency-Key, for 24 h, committed with what the request changed. Sealed: an answer may show a secret.';
COMMENT ON COLUMN idempotent_answers.caller_id IS 'The key_id or session_id that the request came with.';

ALTER TABLE users ADD COLUMN signed_in_at timestamptz;
UPDATE users SET signed_in_at = s.created_at
FROM (SELECT user_id, min(created_at) AS created_at FROM sessions GROUP BY user_id) s WHERE s.user_id = users.user_id;
COMMENT ON COLUMN users.signed_in_at IS 'When it first signed in to the dashboard: from then on its utility does not change its e-mail address.';

ALTER TABLE sessions ADD COLUMN user_agent text, ADD COLUMN address text;
COMMENT ON COLUMN sessions.user_agent IS 'Of the browser that signed in, as it says itself; so that people know their own.';
COMMENT ON COLUMN sessions.address IS 'Where it signed in from.';

-- Who asked: a stranger's requests do not use up the owner's, and a browser's new request replaces its own.
ALTER TABLE sign_ins
  ADD COLUMN browser_sha256 bytea,
  ADD COLUMN network text,
  ADD COLUMN is_known boolean NOT NULL DEFAULT false;
COMMENT ON TABLE sign_ins IS 'One-time links and codes that were sent. Used ones are gone; the others are counted for a day.';
COMMENT ON COLUMN sign_ins.network IS 'Where it was asked for: an IPv4 address, an IPv6 /64. Null for one that an operator made.';
COMMENT ON COLUMN sign_ins.is_known IS 'Whether the browser that asked had signed in to this account before.';
