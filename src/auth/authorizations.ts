import { sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import { notifyHomeOfAuthorization } from '#src/users/app-access.ts';
import { syncGreenButtonNotices } from './green-button-notices.ts';
import { APP_SCOPE_NAMES, type AppScope } from './scopes.ts';

/** Durations in days for which a home can authorize an app. Null: the authorization is valid until the home revokes it. */
export const AUTHORIZATION_DAYS_BY_DURATION = { month: 30, year: 365, unlimited: null } as const;

const MAX_AUTHORIZATIONS = 100;

/** An authorization of an app by a home, as shown to the home's owner. */
export interface Authorization {
  authorization_id: string;
  app: { app_id: string; name: string; website: string };
  scopes: AppScope[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

/**
 * Authorizes an app for a home, in the transaction that has locked the home's account. The home gets a mail. `days`: validity;
 * null means until the home revokes it. Returns the authorization's id. Throws 409 if the home has the maximum number of
 * authorizations.
 */
export async function createAuthorization(
  trx: Database,
  {
    homeId,
    app,
    scopes,
    days,
    greenButtonScope = null,
    now,
  }: {
    homeId: string;
    app: { app_id: string; name: string };
    scopes: readonly AppScope[];
    days: number | null;
    /** Negotiated Green Button scope string; null or missing if the app requested none. */
    greenButtonScope?: string | null;
    now: Date;
  },
): Promise<string> {
  // Raw SQL: the advisory lock prevents concurrent consents from exceeding the maximum number of authorizations of a home.
  await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('authorizations of', homeId)}::bigint)`.execute(trx);
  const { count } = await trx
    .selectFrom('authorizations')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('user_id', '=', homeId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_AUTHORIZATIONS) throw new AppError('tooManyAuthorizations');
  const authorization_id = createId('aut');
  const expires_at = days === null ? null : new Date(now.getTime() + days * DAY_MS);
  const { app_id, name } = app;
  await trx
    .insertInto('authorizations')
    .values({
      authorization_id,
      app_id,
      user_id: homeId,
      scopes: [...scopes],
      created_at: now,
      expires_at,
      green_button_scope: greenButtonScope,
    })
    .execute();
  await syncGreenButtonNotices(trx, { authorizationId: authorization_id });
  const data = { authorization_id, app: { app_id, name }, scopes, expires_at: expires_at?.toISOString() ?? null };
  await notifyHomeOfAuthorization(trx, homeId, data);
  return authorization_id;
}

/** Returns at most `limit` authorizations of a home that have not expired, in order of their ids, after `cursor`. */
export async function listAuthorizations(
  db: Database,
  homeId: string,
  now: Date,
  page: { limit: number; cursor?: string },
): Promise<Authorization[]> {
  const rows = await unexpiredAuthorizations(db, now)
    .select(['apps.app_id', 'name', 'website', 'authorizations.created_at', 'expires_at', 'last_used_at'])
    .where('authorizations.user_id', '=', homeId)
    .where('authorization_id', '>', page.cursor ?? '')
    .orderBy('authorization_id')
    .limit(page.limit)
    .execute();
  return rows.map(({ app_id, name, website, consented, of_app, ...row }) => ({
    ...row,
    app: { app_id, name, website },
    scopes: getCurrentScopes({ consented, of_app }),
  }));
}

/**
 * Query of unexpired authorizations, with their apps, the scopes to which the home consented, and the scopes that the app
 * currently requests.
 */
const unexpiredAuthorizations = (db: Database, now: Date) =>
  db
    .selectFrom('authorizations')
    .innerJoin('apps', 'apps.app_id', 'authorizations.app_id')
    .select(['authorizations.authorization_id', 'authorizations.scopes as consented', 'apps.scopes as of_app'])
    .where(({ or, eb }) =>
      or([eb('authorizations.expires_at', 'is', null), eb('authorizations.expires_at', '>', now)]),
    );

/**
 * Query of the authorizations that an app can use. An authorization is usable if it has not expired, its home belongs to a
 * homeowner, and its app belongs to a utility or an administrator. The caller adds further conditions.
 */
export const selectUsableAuthorizations = (db: Database, now: Date) =>
  unexpiredAuthorizations(db, now)
    .innerJoin('users as home', 'home.user_id', 'authorizations.user_id')
    .innerJoin('users as app_owner', 'app_owner.user_id', 'apps.user_id')
    .where('home.role', '=', 'homeowner')
    .where('app_owner.role', '<>', 'homeowner');

/** Returns the scopes to which the home consented and which the app still requests. */
export const getCurrentScopes = ({ consented, of_app }: { consented: string[]; of_app: string[] }): AppScope[] =>
  APP_SCOPE_NAMES.filter((scope) => consented.includes(scope) && of_app.includes(scope));

/** Returns the ids of the given authorizations that still include the scope. */
export async function findUsableAuthorizations(
  db: Database,
  ids: readonly string[],
  scope: string,
  now: Date,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await selectUsableAuthorizations(db, now)
    .where(sql<boolean>`authorization_id = ANY (${[...new Set(ids)]}::text[])`)
    .execute();
  const withScope = rows.filter((row) => getCurrentScopes(row).some((one) => one === scope));
  return new Set(withScope.map(({ authorization_id }) => authorization_id));
}
