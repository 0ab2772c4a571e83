-- A changed e-mail address holds once a mail to it was used. Processes of the version before change it at once until they are replaced.
CREATE TABLE email_changes (
  user_id           text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  email_change_id   text COLLATE "C" NOT NULL UNIQUE,
  email             text NOT NULL,
  requester_user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  requested_by      text COLLATE "C" NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX email_changes_requester ON email_changes (requester_user_id);
COMMENT ON TABLE email_changes IS 'E-mail addresses that accounts will have once a mail to them was used, for seven days. Not unique: an address that waits here blocks nobody.';
COMMENT ON COLUMN email_changes.requester_user_id IS 'The account that requested the change: its own, or its utility.';
COMMENT ON COLUMN email_changes.requested_by IS 'The key_id or session_id that the request came with. A change ends when that key is revoked.';

ALTER TABLE users ADD COLUMN is_enrolled boolean NOT NULL DEFAULT false;
UPDATE users SET is_enrolled = true WHERE enrolled_by IS NOT NULL;
COMMENT ON COLUMN users.is_enrolled IS 'Whether a utility created the account, also one that is gone (enrolled_by is null then): its first sign-in ends the keys that were made before.';
