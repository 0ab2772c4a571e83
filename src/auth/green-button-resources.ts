import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { getCurrentScopes, selectUsableAuthorizations } from './authorizations.ts';
import { GREEN_BUTTON_REQUIRED_SCOPE } from './green-button.ts';

export interface GreenButtonAuthorization {
  authorization_id: string;
  /** Id that identifies the authorization and its subscription in URLs of ESPI resources. */
  resource_id: string;
  /** Id that identifies the app in URLs of ESPI resources. */
  app_resource_id: string;
  /** The home. */
  user_id: string;
  /** Time zone of the home. */
  timezone: string;
  green_button_scope: string | null;
  created_at: Date;
  expires_at: Date | null;
}

const authorizationsOf = (db: Database, now: Date) =>
  selectUsableAuthorizations(db, now)
    .select(['authorizations.resource_id', 'apps.resource_id as app_resource_id', 'authorizations.user_id'])
    .select(['home.timezone', 'green_button_scope', 'authorizations.created_at', 'authorizations.expires_at'])
    .where(
      sql<boolean>`${GREEN_BUTTON_REQUIRED_SCOPE} = ANY (authorizations.scopes) AND ${GREEN_BUTTON_REQUIRED_SCOPE} = ANY (apps.scopes)`,
    );

/** Returns an authorization with which an app can read usage. Null if it has ended or lacks the scope. */
export async function findGreenButtonSubscription(
  db: Database,
  authorizationId: string,
  now: Date,
): Promise<GreenButtonAuthorization | null> {
  const row = await authorizationsOf(db, now).where('authorization_id', '=', authorizationId).executeTakeFirst();
  return row && getCurrentScopes(row).includes(GREEN_BUTTON_REQUIRED_SCOPE) ? row : null;
}

/** Returns an authorization of an app, or null. `resourceId`: the authorization's id in URLs of ESPI resources, a UUID. */
export async function findAppAuthorization(
  db: Database,
  appId: string,
  resourceId: string,
  now: Date,
): Promise<GreenButtonAuthorization | null> {
  const row = await authorizationsOf(db, now)
    .where('authorizations.app_id', '=', appId)
    .where('authorizations.resource_id', '=', resourceId)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns at most `limit` authorizations of an app, in order of their authorization_id, after `cursor`. */
export async function listAppAuthorizations(
  db: Database,
  appId: string,
  now: Date,
  { limit, cursor }: { limit: number; cursor: string },
): Promise<GreenButtonAuthorization[]> {
  return authorizationsOf(db, now)
    .where('authorizations.app_id', '=', appId)
    .where('authorization_id', '>', cursor)
    .orderBy('authorization_id')
    .limit(limit)
    .execute();
}
