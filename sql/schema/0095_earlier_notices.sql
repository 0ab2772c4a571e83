-- Notices of Green Button to apps that were let in before the service sent any (0093): until now their owners had to set the address again.
INSERT INTO webhooks (webhook_id, user_id, event, events, url, authorization_id, is_notice)
SELECT 'whk_' || left(replace(gen_random_uuid()::text, '-', ''), 26), a.user_id, 'usage.updated', '{usage.updated}', notification_url,
  authorization_id, true
FROM authorizations a JOIN apps USING (app_id)
WHERE notification_url IS NOT NULL AND 'insights:read' = ANY (a.scopes) AND 'insights:read' = ANY (apps.scopes)
ON CONFLICT (authorization_id) WHERE is_notice DO NOTHING;
