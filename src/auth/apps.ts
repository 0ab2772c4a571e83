import { timingSafeEqual } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { endAuthorizations } from '#src/users/app-access.ts';
import { syncGreenButtonNotices } from './green-button-notices.ts';
import { createSecret, hashApiKey } from './key-format.ts';

const SECRET_PREFIX = 'eus_cs_';
const MAX_APPS_PER_ACCOUNT = 100;

const COLUMNS = [
  'app_id',
  'user_id',
  'name',
  'website',
  'type',
  'redirect_uris',
  'notification_url',
  'scopes',
  'created_at',
] as const;

/** A registered app, without its secret. The member `app_id` is also the app's client_id in OAuth. */
export type App = Pick<Selectable<Tables['apps']>, (typeof COLUMNS)[number]>;

/** Members of an app that its owner can change. The type of an app never changes. */
type AppSettings = Omit<App, 'app_id' | 'user_id' | 'type' | 'created_at'>;

/**
 * Registers an app for an account, in the transaction that has locked the account. Returns the app with its secret, which is
 * shown once and is null for a public app. Throws 409 if the account has the maximum number of apps.
 */
export async function createApp(
  trx: Database,
  ownerId: string,
  { type, ...settings }: AppSettings & Pick<App, 'type'>,
  now: Date,
): Promise<{ app: App; secret: string | null }> {
  // Raw SQL: the advisory lock prevents concurrent registrations from exceeding the maximum number of apps of an account.
  await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('apps of', ownerId)}::bigint)`.execute(trx);
  const { count } = await trx
    .selectFrom('apps')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('user_id', '=', ownerId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_APPS_PER_ACCOUNT) throw new AppError('tooManyApps');
  const secret = type === 'confidential' ? createSecret(SECRET_PREFIX) : null;
  const app = await trx
    .insertInto('apps')
    .values({
      ...settings,
      type,
      app_id: createId('app'),
      user_id: ownerId,
      client_secret_sha256: secret === null ? null : hashApiKey(secret),
      created_at: now,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { app, secret };
}

/** Returns at most `limit` apps of an account in order of their ids, after `cursor`. */
export async function listApps(
  db: Database,
  ownerId: string,
  page: { limit: number; cursor?: string },
): Promise<App[]> {
  return db
    .selectFrom('apps')
    .select(COLUMNS)
    .where('user_id', '=', ownerId)
    .where('app_id', '>', page.cursor ?? '')
    .orderBy('app_id')
    .limit(page.limit)
    .execute();
}

/** Returns an app that the caller can access, or null. */
export async function findApp(db: Database, reach: AccessibleAccounts, appId: string): Promise<App | null> {
  const row = await db
    .selectFrom('apps')
    .select(COLUMNS)
    .where('app_id', '=', appId)
    .where(isAccountAccessibleSql(reach, 'apps.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Updates an app that the caller can access; null if there is none. Removed scopes take effect at once, also for existing tokens.
 */
export async function updateApp(
  trx: Database,
  reach: AccessibleAccounts,
  appId: string,
  patch: Partial<AppSettings>,
): Promise<App | null> {
  if (Object.keys(patch).length === 0) return findApp(trx, reach, appId);
  const row = await trx
    .updateTable('apps')
    .set(patch)
    .where('app_id', '=', appId)
    .where(isAccountAccessibleSql(reach, 'apps.user_id'))
    .returning(COLUMNS)
    .executeTakeFirst();
  if (row && (patch.notification_url !== undefined || patch.scopes)) await syncGreenButtonNotices(trx, { appId });
  return row ?? null;
}

/**
 * Deletes an app that the caller can access, and ends the app's authorizations. Each home that authorized the app gets a mail.
 * Returns false if there is no such app.
 */
export async function deleteApp(trx: Database, reach: AccessibleAccounts, appId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('apps')
    .select('app_id')
    .where('app_id', '=', appId)
    .where(isAccountAccessibleSql(reach, 'apps.user_id'))
    .forUpdate()
    .executeTakeFirst();
  if (!row) return false;
  await endAuthorizations(trx, { appIds: [appId] }, 'app');
  await trx.deleteFrom('apps').where('app_id', '=', appId).execute();
  return true;
}

/** An app with the columns that only the authorization server needs. */
export interface OauthClientApp extends App {
  /** Id that identifies the app in URLs of ESPI resources. */
  resource_id: string;
  client_secret_sha256: Buffer | null;
}

/**
 * Returns an app by its client_id. Null if there is no such app, or if the account that registered it no longer belongs to a utility or an
 * administrator.
 */
export async function findOauthClientApp(db: Database, clientId: string): Promise<OauthClientApp | null> {
  if (clientId.includes('\0')) return null;
  const row = await db
    .selectFrom('apps')
    .innerJoin('users', 'users.user_id', 'apps.user_id')
    .select([
      ...(COLUMNS.map((name) => `apps.${name}`) as `apps.${(typeof COLUMNS)[number]}`[]),
      'client_secret_sha256',
      'resource_id',
    ])
    .where('app_id', '=', clientId)
    .where('users.role', '<>', 'homeowner')
    .executeTakeFirst();
  return row ?? null;
}

export function isSecretMatchingHash(hash: Buffer, presented: string): boolean {
  return timingSafeEqual(hash, hashApiKey(presented));
}
