-- Who did what to whom, from where.

CREATE TABLE audit_log (
  audit_id      text COLLATE "C" PRIMARY KEY,
  at            timestamptz NOT NULL DEFAULT now(),
  actor_user_id text COLLATE "C",
  actor_key_id  text COLLATE "C",
  address       text,
  action        text NOT NULL,
  target        text COLLATE "C",
  about_user_id text COLLATE "C",
  details       jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_actor ON audit_log (actor_user_id, audit_id);
CREATE INDEX audit_log_about ON audit_log (about_user_id, audit_id);
COMMENT ON TABLE audit_log IS 'Who did what to whom, from where; committed with what was done. Rows are only added: keep_audit refuses the rest. Kept for 24 months.';
COMMENT ON COLUMN audit_log.actor_user_id IS 'Who did it. Null: an operator at the command line, or somebody who was not signed in. erased_…: an account that is gone.';
COMMENT ON COLUMN audit_log.actor_key_id IS 'The key_id or session_id that it came with.';
COMMENT ON COLUMN audit_log.address IS 'Where it came from: an IP address, or cli.';
COMMENT ON COLUMN audit_log.target IS 'The id of what was changed. Null: of an account that is gone.';
COMMENT ON COLUMN audit_log.about_user_id IS 'Whose the target is.';
COMMENT ON COLUMN audit_log.details IS 'Names of the members that were sent, and values that say nothing of a person: role, plan, scopes.';

-- Nothing is changed or removed but by the purge and by erasure, whoever asks: of a row older than 24 months all, and the part that is about
-- an account after that is gone. (Who owns the tables can drop the trigger.)
CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_actor_same boolean;
  is_target_same boolean;
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.at < now() - interval '24 months' THEN RETURN OLD; END IF;
  ELSIF TG_OP = 'UPDATE' THEN
    is_actor_same := (NEW.actor_user_id, NEW.actor_key_id, NEW.address) IS NOT DISTINCT FROM (OLD.actor_user_id, OLD.actor_key_id, OLD.address);
    is_target_same := (NEW.about_user_id, NEW.target) IS NOT DISTINCT FROM (OLD.about_user_id, OLD.target);
    IF (NEW.audit_id, NEW.at, NEW.action, NEW.details) = (OLD.audit_id, OLD.at, OLD.action, OLD.details)
      AND (is_actor_same OR NOT EXISTS (SELECT FROM users WHERE user_id = OLD.actor_user_id))
      AND (is_target_same OR NOT EXISTS (SELECT FROM users WHERE user_id = OLD.about_user_id))
    THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'audit_log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER keep_audit BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION keep_audit();
CREATE TRIGGER keep_audit_whole BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION keep_audit();
