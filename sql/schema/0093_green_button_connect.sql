-- Green Button Connect My Data: resources of ESPI for apps, tokens of apps themselves, and notices that data changed.
ALTER TABLE apps ADD COLUMN resource_id uuid NOT NULL DEFAULT gen_random_uuid();
COMMENT ON COLUMN apps.resource_id IS 'Id of the app in addresses of ESPI. The ids of its usage points derive from it.';

ALTER TABLE authorizations ADD COLUMN resource_id uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE authorizations ADD COLUMN green_button_scope text;
CREATE UNIQUE INDEX authorizations_resource ON authorizations (resource_id);
COMMENT ON COLUMN authorizations.resource_id IS 'Id of the authorization and of its subscription in addresses of ESPI.';
COMMENT ON COLUMN authorizations.green_button_scope IS 'Scope string of ESPI to which the home consented: lengths of intervals and of the history. Null: the app asked for none, and the default holds.';

-- A token of an app itself (client_credentials) has an app instead of an authorization.
ALTER TABLE oauth_tokens ADD COLUMN app_id text COLLATE "C" REFERENCES apps ON DELETE CASCADE;
ALTER TABLE oauth_tokens DROP CONSTRAINT oauth_tokens_kind_check, DROP CONSTRAINT oauth_tokens_check,
  ADD CHECK (kind IN ('interaction', 'code', 'access', 'refresh', 'client')),
  ADD CHECK (kind IN ('interaction', 'client') OR authorization_id IS NOT NULL),
  ADD CHECK (CASE kind WHEN 'client' THEN app_id IS NOT NULL AND authorization_id IS NULL ELSE app_id IS NULL END);
CREATE INDEX oauth_tokens_app ON oauth_tokens (app_id) WHERE app_id IS NOT NULL;
COMMENT ON COLUMN oauth_tokens.app_id IS 'The app of a token with which it reads its own resources (client). Null: all other tokens.';

ALTER TABLE webhooks ADD COLUMN is_notice boolean NOT NULL DEFAULT false;
ALTER TABLE webhooks ALTER COLUMN auth_token_sealed DROP NOT NULL, ADD CHECK (is_notice = (auth_token_sealed IS NULL));
COMMENT ON COLUMN webhooks.is_notice IS 'Whether this row sends unsigned notices of Green Button to the notification_url of the authorization''s app. Its owner sees it with the authorization.';
CREATE UNIQUE INDEX webhooks_notice ON webhooks (authorization_id) WHERE is_notice;
