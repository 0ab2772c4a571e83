-- A signed-in browser signs in another device of the same person. Such a session is no proof that its owner has just signed in.
ALTER TABLE sessions DROP CONSTRAINT sessions_signed_in_by_check,
  ADD CONSTRAINT sessions_signed_in_by_check CHECK (signed_in_by IN ('mail', 'provider', 'device'));
COMMENT ON COLUMN sessions.signed_in_by IS 'mail: by a link or code; provider: by OpenID Connect; device: by a link that another session made.';
ALTER TABLE sign_ins ADD COLUMN session_id text COLLATE "C" REFERENCES sessions ON DELETE CASCADE;
CREATE INDEX sign_ins_session ON sign_ins (session_id) WHERE session_id IS NOT NULL;
COMMENT ON COLUMN sign_ins.session_id IS 'Session that made the link for another device, and with which it ends. Null: mailed, or made by an operator.';
