-- An account that nobody gave a time zone has the default, UTC: the dashboard asks for it once (src/users/store.ts).
ALTER TABLE users ADD COLUMN is_timezone_given boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN users.is_timezone_given IS 'Whether somebody has set its time zone since this column exists. False with another zone than UTC: it was set before.';
