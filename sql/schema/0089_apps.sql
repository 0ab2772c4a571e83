-- Apps of utilities and administrators, the homes that let them in, and the codes and tokens by which apps reach a home (OAuth 2.1).
CREATE TABLE apps (
  app_id               text COLLATE "C" PRIMARY KEY,
  user_id              text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  name                 text NOT NULL,
  website              text NOT NULL,
  type                 text NOT NULL CHECK (type IN ('confidential', 'public')),
  redirect_uris        text[] NOT NULL,
  notification_url     text,
  scopes               text[] NOT NULL,
  client_secret_sha256 bytea,
  created_at           timestamptz NOT NULL,
  CHECK ((type = 'confidential') = (client_secret_sha256 IS NOT NULL))
);
CREATE INDEX apps_owner ON apps (user_id);
COMMENT ON TABLE apps IS 'Programs of others that homes can let in. The id of an app is its client_id.';
COMMENT ON COLUMN apps.user_id IS 'The utility or administrator that registered the app. Requests of the app have the limits of this account''s plan.';
COMMENT ON COLUMN apps.redirect_uris IS 'Addresses to which a browser returns with a code. Compared exactly, except the port of a loopback address.';
COMMENT ON COLUMN apps.notification_url IS 'Address for notices that data of a home changed. Null: none.';
COMMENT ON COLUMN apps.scopes IS 'The most that the app may do in a home, also by tokens that were issued with more.';
COMMENT ON COLUMN apps.client_secret_sha256 IS 'Null: a public app, which cannot keep a secret.';

CREATE TABLE authorizations (
  authorization_id text COLLATE "C" PRIMARY KEY,
  app_id           text COLLATE "C" NOT NULL REFERENCES apps ON DELETE CASCADE,
  user_id          text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  scopes           text[] NOT NULL,
  created_at       timestamptz NOT NULL,
  expires_at       timestamptz,
  last_used_at     timestamptz
);
CREATE INDEX authorizations_home ON authorizations (user_id);
CREATE INDEX authorizations_app ON authorizations (app_id);
CREATE INDEX authorizations_expiry ON authorizations (expires_at) WHERE expires_at IS NOT NULL;
COMMENT ON TABLE authorizations IS 'Consents of homes: an app may reach a home. A row is deleted at the end of the authorization, with the tokens, alerts and webhooks of the app.';
COMMENT ON COLUMN authorizations.user_id IS 'The home.';
COMMENT ON COLUMN authorizations.scopes IS 'Scopes to which the home consented.';
COMMENT ON COLUMN authorizations.expires_at IS 'Null: until it is revoked.';
COMMENT ON COLUMN authorizations.last_used_at IS 'Latest request with a token of the authorization, to the minute. Null: none yet.';

CREATE TABLE oauth_tokens (
  token_sha256     bytea PRIMARY KEY,
  kind             text NOT NULL CHECK (kind IN ('interaction', 'code', 'access', 'refresh')),
  authorization_id text COLLATE "C" REFERENCES authorizations ON DELETE CASCADE,
  payload          jsonb NOT NULL,
  expires_at       timestamptz NOT NULL,
  consumed_at      timestamptz,
  answer_sealed    bytea,
  CHECK (kind = 'interaction' OR authorization_id IS NOT NULL)
);
CREATE INDEX oauth_tokens_authorization ON oauth_tokens (authorization_id);
CREATE INDEX oauth_tokens_expiry ON oauth_tokens (expires_at);
COMMENT ON TABLE oauth_tokens IS 'Requests for consent that are under way (interaction), and codes and tokens of apps. The tokens themselves are stored nowhere.';
COMMENT ON COLUMN oauth_tokens.authorization_id IS 'The authorization with which the row ends. Null: nobody has consented yet.';
COMMENT ON COLUMN oauth_tokens.payload IS 'What the authorization server stores with the token, without the token itself.';
COMMENT ON COLUMN oauth_tokens.consumed_at IS 'When a code or refresh token was used. A second use ends the authorization.';
COMMENT ON COLUMN oauth_tokens.answer_sealed IS 'Encrypted answer to the use of a refresh token, which is repeated for 30 s. Null: not used yet.';

ALTER TABLE alerts ADD COLUMN authorization_id text COLLATE "C" REFERENCES authorizations (authorization_id) ON DELETE CASCADE;
CREATE INDEX alerts_authorization ON alerts (authorization_id) WHERE authorization_id IS NOT NULL;
COMMENT ON COLUMN alerts.authorization_id IS 'The authorization by which an app made the alert, which ends with it. Null: no app did.';

ALTER TABLE webhooks ADD COLUMN authorization_id text COLLATE "C" REFERENCES authorizations (authorization_id) ON DELETE CASCADE;
CREATE INDEX webhooks_authorization ON webhooks (authorization_id) WHERE authorization_id IS NOT NULL;
COMMENT ON COLUMN webhooks.authorization_id IS 'The authorization by which an app set the address of the subscription, which ends with it. Null: no app did.';

-- What ended stays ended in a restored installation (0088_endings.sql).
ALTER TABLE endings DROP CONSTRAINT endings_kind_check,
  ADD CHECK (kind IN ('account', 'app', 'authorization', 'device', 'gateway', 'key', 'member', 'session', 'webhook'));
COMMENT ON TABLE endings IS 'Ids of accounts, apps, authorizations, devices, gateways, keys, memberships, sessions and webhooks that ended, committed with their end, until they are in ended.jsonl next to the back-ups.';
CREATE TRIGGER apps_note_ending AFTER DELETE ON apps FOR EACH ROW EXECUTE FUNCTION note_ending('app', 'app_id');
CREATE TRIGGER authorizations_note_ending AFTER DELETE ON authorizations FOR EACH ROW
  WHEN (OLD.expires_at IS NULL OR OLD.expires_at > now()) EXECUTE FUNCTION note_ending('authorization', 'authorization_id');
