import { sql } from 'kysely';
import { createId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { GREEN_BUTTON_REQUIRED_SCOPE } from './green-button.ts';

/**
 * Updates the webhook subscriptions by which an app gets notices at its current `notification_url`. There is one subscription for
 * each authorization that may read usage. `which`: all authorizations of an app, or one.
 */
export async function syncGreenButtonNotices(
  trx: Database,
  which: { appId: string } | { authorizationId: string },
): Promise<void> {
  const concerned =
    'appId' in which
      ? sql<boolean>`a.app_id = ${which.appId}`
      : sql<boolean>`a.authorization_id = ${which.authorizationId}`;
  // Raw SQL: one statement handles any number of authorizations. It locks the app and the authorizations against concurrent
  // changes.
  await sql`DELETE FROM webhooks w USING authorizations a JOIN apps USING (app_id)
    WHERE w.is_notice AND w.authorization_id = a.authorization_id AND ${concerned}
      AND (notification_url IS NULL OR NOT (${GREEN_BUTTON_REQUIRED_SCOPE} = ANY (a.scopes) AND ${GREEN_BUTTON_REQUIRED_SCOPE} = ANY (apps.scopes)))`.execute(
    trx,
  );
  const { rows } = await sql<{ authorization_id: string; user_id: string; url: string }>`
    SELECT a.authorization_id, a.user_id, notification_url AS url FROM authorizations a JOIN apps USING (app_id)
    WHERE ${concerned} AND notification_url IS NOT NULL AND ${GREEN_BUTTON_REQUIRED_SCOPE} = ANY (a.scopes) AND ${GREEN_BUTTON_REQUIRED_SCOPE} = ANY (apps.scopes)
    ORDER BY 1 FOR KEY SHARE OF a FOR SHARE OF apps`.execute(trx);
  if (rows.length === 0) return;
  await sql`INSERT INTO webhooks (webhook_id, user_id, event, events, url, authorization_id, is_notice)
    SELECT webhook_id, user_id, 'usage.updated', '{usage.updated}', url, authorization_id, true
    FROM unnest(${rows.map(() => createId('whk'))}::text[], ${rows.map((row) => row.user_id)}::text[],
      ${rows.map(({ url }) => url)}::text[], ${rows.map((row) => row.authorization_id)}::text[])
      n (webhook_id, user_id, url, authorization_id)
    ON CONFLICT (authorization_id) WHERE is_notice
    DO UPDATE SET url = excluded.url, status = 'active', failing_since = NULL, failed_in_a_row = 0`.execute(trx);
}
