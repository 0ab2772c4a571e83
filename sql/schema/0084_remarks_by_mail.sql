-- An owner may get each new remark on the home by mail.
ALTER TABLE users ADD COLUMN remarks_by_mail boolean NOT NULL DEFAULT false;
ALTER TABLE users ADD COLUMN language text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'de', 'es', 'fr', 'nl'));
COMMENT ON COLUMN users.remarks_by_mail IS 'Whether the account gets a mail about each new remark on its home.';
COMMENT ON COLUMN users.language IS 'Language of these mails: that of the request which switched them on.';
