-- What ended, until it is noted in ended.jsonl next to the back-ups: a restored installation ends it again.
CREATE TABLE endings (
  ending_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind      text NOT NULL CHECK (kind IN ('account', 'device', 'gateway', 'key', 'member', 'session', 'webhook')),
  id        text COLLATE "C" NOT NULL,
  ended_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE endings IS 'Ids of accounts, devices, gateways, keys, memberships, sessions and webhooks that ended, committed with their end, until they are in ended.jsonl next to the back-ups.';

-- TG_ARGV: the kind, and the column that has the id. Triggers, because cascades end keys, memberships and sessions, too.
CREATE FUNCTION note_ending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- An account that moves into another installation has not ended, and may come back.
  IF current_setting('energy.is_moving', true) = 'on' THEN RETURN NULL; END IF;
  IF NOT EXISTS (SELECT FROM installation WHERE notes_endings) THEN RETURN NULL; END IF;
  INSERT INTO endings (kind, id) VALUES (TG_ARGV[0], to_jsonb(OLD) ->> TG_ARGV[1]);
  RETURN NULL;
END $$;

CREATE TRIGGER users_note_ending AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION note_ending('account', 'user_id');
CREATE TRIGGER devices_note_ending AFTER UPDATE OF deleted_at ON devices FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION note_ending('device', 'device_id');
CREATE TRIGGER gateways_note_ending AFTER DELETE ON gateways FOR EACH ROW EXECUTE FUNCTION note_ending('gateway', 'gateway_id');
CREATE TRIGGER webhooks_note_ending AFTER DELETE ON webhooks FOR EACH ROW EXECUTE FUNCTION note_ending('webhook', 'webhook_id');
CREATE TRIGGER api_keys_note_revocation AFTER UPDATE OF revoked_at ON api_keys FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION note_ending('key', 'key_id');
CREATE TRIGGER api_keys_note_ending AFTER DELETE ON api_keys FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL) EXECUTE FUNCTION note_ending('key', 'key_id');
CREATE TRIGGER home_members_note_end AFTER UPDATE OF ended_at ON home_members FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION note_ending('member', 'member_id');
CREATE TRIGGER home_members_note_ending AFTER DELETE ON home_members FOR EACH ROW
  WHEN (OLD.ended_at IS NULL) EXECUTE FUNCTION note_ending('member', 'member_id');
CREATE TRIGGER sessions_note_ending AFTER DELETE ON sessions FOR EACH ROW
  WHEN (OLD.expires_at > now()) EXECUTE FUNCTION note_ending('session', 'session_id');

ALTER TABLE installation ADD COLUMN notes_endings boolean NOT NULL DEFAULT false, ADD COLUMN held_before timestamptz;
COMMENT ON COLUMN installation.notes_endings IS 'Whether the service copies this database itself, as it does the embedded one: then what ends is noted.';
COMMENT ON COLUMN installation.held_before IS 'First start after a restore: whatever fell due before is not sent until an operator releases it. Null: nothing is held back.';

ALTER TABLE usage_changes ADD COLUMN is_held boolean;
COMMENT ON COLUMN usage_changes.is_held IS 'True if the row waited at the first start after a restore: its alerts wait until an operator releases them. Null: it does not wait.';
