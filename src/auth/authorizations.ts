import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import { advisoryLockId } from '#src/database/advisory-locks.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { addEvents } from '#src/events/outbox.ts';
import type { Caller } from './authenticate.ts';
import { type AppScope, isAppScope } from './scopes.ts';

/** How long a home can let an app in, in days; null: until it is revoked. */
export const AUTHORIZED_DAYS: Readonly<Record<string, number | null>> = { month: 30, year: 365, unlimited: null };

/** Maximum number of authorizations of a home. */
const MAX_AUTHORIZATIONS = 100;

/** An app that a home has let in, as the home's owner sees it. */
export interface Authorization {
  authorization_id: string;
  app: { app_id: string; name: string; website: string };
  scopes: AppScope[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

/**
 * Lets an app into a home, in the transaction that has locked the home's account; the home gets a mail. `scopes`: what the owner consented
 * to; `days`: how long it holds, null: until it is revoked. Returns its id. Throws 409 if the home has the maximum number.
 */
export async function createAuthorization(
  trx: Database,
  {
    homeId,
    app,
    scopes,
    days,
    now,
  }: {
    homeId: string;
    app: { app_id: string; name: string };
    scopes: readonly AppScope[];
    days: number | null;
    now: Date;
  },
): Promise<string> {
  // Raw SQL: an advisory lock. It serialises consents by home, because concurrent ones would all see the same count.
  await sql`SELECT pg_advisory_xact_lock(${advisoryLockId('authorizations of', homeId)}::bigint)`.execute(trx);
  const { count } = await trx
    .selectFrom('authorizations')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('user_id', '=', homeId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_AUTHORIZATIONS) throw new AppError('tooManyAuthorizations');
  const authorization_id = newId('aut');
  const expires_at = days === null ? null : new Date(now.getTime() + days * DAY_MS);
  const { app_id, name } = app;
  await trx
    .insertInto('authorizations')
    .values({ authorization_id, app_id, user_id: homeId, scopes: [...scopes], created_at: now, expires_at })
    .execute();
  const data = { authorization_id, app: { app_id, name }, scopes, expires_at: expires_at?.toISOString() ?? null };
  const event = { type: 'authorization.began', userId: homeId, data, channel: 'email' } as const;
  await addEvents(queryOf(trx), [event], new Date());
  return authorization_id;
}

/** Returns the authorizations of a home in order of their ids, after `cursor`; at most `limit`. */
export async function listAuthorizations(
  db: Database,
  homeId: string,
  now: Date,
  page: { limit: number; cursor?: string },
): Promise<Authorization[]> {
  const rows = await db
    .selectFrom('authorizations')
    .innerJoin('apps', 'apps.app_id', 'authorizations.app_id')
    .select(['authorization_id', 'apps.app_id', 'name', 'website', 'authorizations.scopes'])
    .select(['apps.scopes as of_app', 'authorizations.created_at', 'expires_at', 'last_used_at'])
    .where('authorizations.user_id', '=', homeId)
    .where(isOpen(now))
    .where('authorization_id', '>', page.cursor ?? '')
    .orderBy('authorization_id')
    .limit(page.limit)
    .execute();
  return rows.map(({ app_id, name, website, of_app, scopes, ...row }) => ({
    ...row,
    app: { app_id, name, website },
    scopes: scopes.filter((scope) => of_app.includes(scope)).filter(isAppScope),
  }));
}

/** Condition of a statement with the table `authorizations`: one that has not expired. */
const isOpen = (now: Date): RawBuilder<SqlBool> =>
  sql<SqlBool>`(authorizations.expires_at IS NULL OR authorizations.expires_at > ${now})`;

/**
 * Returns an app's caller with its current scopes. Throws 401 if the authorization has ended. `lock`: locks the home's account, and then the
 * authorization until the transaction ends, so that its end waits for this change, and no later change begins.
 */
export async function reloadApp(
  db: Database,
  caller: Caller,
  now: Date,
  lock: RawBuilder<unknown> | null,
): Promise<Caller> {
  if (lock) await sql`SELECT FROM users WHERE user_id = ${caller.userId} ${lock}`.execute(db);
  // Raw SQL: the lock of one table, which only changes take.
  const { rows } = await sql<{ consented: string[]; of_app: string[] }>`
    SELECT authorizations.scopes AS consented, apps.scopes AS of_app FROM authorizations JOIN apps USING (app_id)
      JOIN users home ON home.user_id = authorizations.user_id JOIN users owner ON owner.user_id = apps.user_id
    WHERE authorization_id = ${caller.keyId} AND authorizations.user_id = ${caller.userId} AND ${isOpen(now)}
      AND home.role = 'homeowner' AND owner.role <> 'homeowner' ${lock ? sql`FOR SHARE OF authorizations` : sql``}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw new AppError('unauthorized');
  const scopes = [...caller.scopes].filter((scope) => row.consented.includes(scope) && row.of_app.includes(scope));
  return { ...caller, scopes: new Set(scopes) };
}

/** Returns those authorizations that have not ended and still have a scope, in the app too. */
export async function findOpenAuthorizations(
  db: Database,
  ids: readonly string[],
  scope: string,
  now: Date,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('authorizations')
    .innerJoin('apps', 'apps.app_id', 'authorizations.app_id')
    .select('authorization_id')
    .where(sql<boolean>`authorization_id = ANY (${[...new Set(ids)]}::text[])`)
    .where(isOpen(now))
    .where(sql<boolean>`${scope} = ANY (authorizations.scopes) AND ${scope} = ANY (apps.scopes)`)
    .execute();
  return new Set(rows.map(({ authorization_id }) => authorization_id));
}
