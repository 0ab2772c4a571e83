import type { Expression, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import type { NewEvent } from '#src/events/bodies.ts';
import { addEvents } from '#src/events/outbox.ts';

/** Mails the owner of a home that an app was authorized for the home. `data`: the authorization. */
export async function notifyHomeOfAuthorization(
  trx: Database,
  homeId: string,
  data: Record<string, unknown>,
): Promise<void> {
  const event: NewEvent = { type: 'authorization.began', userId: homeId, data, channel: 'email' };
  await addEvents(createQueryFunction(trx), [event], new Date());
}

/** Reason for the end of an authorization. */
export type AuthorizationEndReason = 'home' | 'operator' | 'revoked' | 'app' | 'reuse' | 'expired' | 'access';

/** Condition that selects the authorizations to end: by id, by app, by home, or all that have expired. */
type Which =
  | { ids: readonly string[] }
  | { appIds: readonly string[] }
  | { homeIds: readonly string[] }
  | { expiredAt: Date };

/**
 * Ends authorizations, with the tokens, alerts and webhooks of the app in the home, and mails each home. If the app is making a change at
 * this moment, waits until the change is complete. `within`: ends only authorizations of this home. Returns the ids of the ended
 * authorizations.
 */
export async function endAuthorizations(
  trx: Database,
  which: Which,
  because: AuthorizationEndReason,
  { within }: { within?: string } = {},
): Promise<string[]> {
  let query = trx
    .selectFrom('authorizations')
    .innerJoin('apps', 'apps.app_id', 'authorizations.app_id')
    .select(['authorization_id', 'authorizations.user_id', 'authorizations.app_id', 'apps.name'])
    .where(conditionOf(which))
    .orderBy('authorization_id')
    .forUpdate('authorizations');
  if (within !== undefined) query = query.where('authorizations.user_id', '=', within);
  const rows = await query.execute();
  if (rows.length === 0) return [];
  const ids = rows.map(({ authorization_id }) => authorization_id);
  await endAuthorizationsWithoutMail(trx, ids);
  const events = rows.map(
    ({ authorization_id, user_id: userId, app_id, name }): NewEvent => ({
      type: 'authorization.ended',
      userId,
      data: { authorization_id, app: { app_id, name }, because },
      channel: 'email',
    }),
  );
  await addEvents(createQueryFunction(trx), events, new Date());
  return ids;
}

/** Ends authorizations, together with the tokens, alerts and webhooks of the app in the home, without a mail. Ignores unknown ids. */
export async function endAuthorizationsWithoutMail(db: Database, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('authorizations').where(isOneOf('authorization_id', ids)).execute();
}

/** Returns the SQL condition that a column contains one of the ids. */
const isOneOf = (column: string, ids: readonly string[]) => sql<boolean>`${sql.ref(column)} = ANY (${ids}::text[])`;

/**
 * Ends the authorizations of an account's apps, in the transaction that erases the account. Each home that authorized an app gets a mail.
 */
export async function endAuthorizationsOfAppOwner(trx: Database, ownerId: string): Promise<void> {
  const rows = await trx.selectFrom('apps').select('app_id').where('user_id', '=', ownerId).forUpdate().execute();
  if (rows.length > 0) await endAuthorizations(trx, { appIds: rows.map(({ app_id }) => app_id) }, 'app');
}

/** Ends expired authorizations, and deletes expired codes, tokens and requests for consent. */
export async function endExpiredAuthorizations(db: Database, now: Date): Promise<void> {
  await joinOrBeginTransaction(db, (trx) => endAuthorizations(trx, { expiredAt: now }, 'expired'));
  await db.deleteFrom('oauth_tokens').where('expires_at', '<=', now).execute();
}

function conditionOf(which: Which): Expression<SqlBool> {
  if ('ids' in which) return isOneOf('authorization_id', which.ids);
  if ('appIds' in which) return isOneOf('authorizations.app_id', which.appIds);
  if ('homeIds' in which) return isOneOf('authorizations.user_id', which.homeIds);
  return sql<boolean>`authorizations.expires_at <= ${which.expiredAt}`;
}
