import { sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { addEvents } from '#src/events/outbox.ts';

/** The account that requested a change of e-mail address, and the id of the key or session that the account used. */
export interface EmailChangeRequester {
  userId: string;
  keyId: string;
}

/**
 * Maximum number of changes that one account can request in a day, because each sends a mail to an address that may belong to a
 * stranger.
 */
const MAX_REQUESTS_PER_DAY = 5;
/** Maximum number of notices in a day that are sent to former addresses of one account. */
const MAX_NOTICES_PER_DAY = 3;

/**
 * SQL condition on a row `c` of `email_changes`: the change is at most seven days old, and the key that requested it is not
 * revoked.
 */
const IS_WAITING = sql<boolean>`(c.created_at > now() - interval '7 days' AND (c.requested_by NOT LIKE 'key\\_%'
  OR EXISTS (SELECT FROM api_keys k WHERE k.key_id = c.requested_by AND k.revoked_at IS NULL)))`;

/** Column for a query of `users`: the requested address that is not confirmed yet. Null if no change is pending. */
export const PENDING_EMAIL_SQL = sql<string | null>`(
  SELECT c.email FROM email_changes c WHERE c.user_id = users.user_id AND ${IS_WAITING})`.as('pending_email');

/**
 * Requests a change of an account's e-mail address, in the transaction that has locked the account. The new address receives a
 * link that confirms the change; the current address (`former`) receives a notice. Unused sign-in links expire. Throws 429 after
 * five requests in a day.
 */
export async function requestEmailChange(
  trx: Database,
  {
    userId,
    email,
    former,
    requester,
  }: { userId: string; email: string; former: string; requester: EmailChangeRequester },
): Promise<void> {
  const now = new Date();
  await assertDailyMailLimit(trx, userId, { type: 'user.email_to_confirm', most: MAX_REQUESTS_PER_DAY, now });
  await expireSignInLinks(trx, userId);
  const email_change_id = createId('emc');
  await trx
    .insertInto('email_changes')
    .values({
      user_id: userId,
      email_change_id,
      email,
      requester_user_id: requester.userId,
      requested_by: requester.keyId,
    })
    .execute();
  const requested_at = now.toISOString();
  await addEvents(
    createQueryFunction(trx),
    [
      { type: 'user.email_to_confirm', userId, data: { email_change_id, email, requested_at }, channel: 'email' },
      { type: 'user.email_requested', userId, data: { former_email: former, requested_at }, channel: 'email' },
    ],
    now,
  );
}

/** Withdraws the pending change of an account's address, if there is one. */
export async function withdrawEmailChange(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('email_changes').where('user_id', '=', userId).execute();
}

/**
 * Withdraws the changes of address that an account requested in the given sessions, because another person may have used them.
 */
export async function withdrawEmailChangesOfSessions(
  db: Database,
  userId: string,
  sessionIds: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('email_changes')
    .where('requester_user_id', '=', userId)
    .where('requested_by', 'in', ['', ...sessionIds])
    .execute();
}

/** Returns the account for which a change of address was requested, even if the request has expired. Null if there is no such request. */
export async function findAccountOfEmailChange(db: Database, emailChangeId: string): Promise<string | null> {
  const row = await db
    .selectFrom('email_changes')
    .select('user_id')
    .where('email_change_id', '=', emailChangeId)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/**
 * Deletes a requested change of address and returns it, so that the caller can apply it. Null if the change was withdrawn, used
 * or has expired, or if the key that requested it was revoked.
 */
export async function consumeEmailChange(
  trx: Database,
  emailChangeId: string,
): Promise<{ user_id: string; email: string; requester_user_id: string } | null> {
  // Raw SQL: locks the key before reading it, so that a concurrent revocation waits.
  await sql`SELECT FROM api_keys WHERE key_id = (SELECT requested_by FROM email_changes WHERE email_change_id = ${emailChangeId}) FOR SHARE`.execute(
    trx,
  );
  const { rows } = await sql<{ user_id: string; email: string; requester_user_id: string }>`
    DELETE FROM email_changes c WHERE email_change_id = ${emailChangeId} AND ${IS_WAITING} RETURNING user_id, email, requester_user_id`.execute(
    trx,
  );
  return rows[0] ?? null;
}

/** Removes requested changes of address that were not confirmed within seven days. */
export async function deleteExpiredEmailChanges(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('email_changes')
    .where('created_at', '<=', new Date(now.getTime() - 7 * DAY_MS))
    .execute();
}

/** Notifies the former address of an account, in the transaction that changed the account's address. */
export async function notifyFormerEmailAddress(trx: Database, userId: string, former: string): Promise<void> {
  const type = 'user.email_changed';
  const now = new Date();
  if ((await eventsOfDay(trx, userId, type, now)).length >= MAX_NOTICES_PER_DAY) return;
  const data = { former_email: former, changed_at: now.toISOString() };
  await addEvents(createQueryFunction(trx), [{ type, userId, data, channel: 'email' }], now);
}

/**
 * Throws 429 if an account has had `most` events of one type within a day. Each event sends a mail to an address that may belong
 * to a stranger.
 */
export async function assertDailyMailLimit(
  trx: Database,
  userId: string,
  { type, most, now }: { type: string; most: number; now: Date },
): Promise<void> {
  const sent = await eventsOfDay(trx, userId, type, now);
  const [first] = sent;
  if (!first || sent.length < most) return;
  const retryAfterSeconds = Math.ceil((first.getTime() + DAY_MS - now.getTime()) / 1_000);
  throw new AppError('tooManyRequests', { retryAfterSeconds });
}

/** Returns the times of an account's events of one type within the last day, oldest first. */
async function eventsOfDay(trx: Database, userId: string, type: string, now: Date): Promise<Date[]> {
  const rows = await trx
    .selectFrom('events')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('type', '=', type)
    .where('created_at', '>', new Date(now.getTime() - DAY_MS))
    .orderBy('created_at')
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/**
 * Ends the unused sign-in links and codes of an account. Their rows remain for a day, because the limits of sign-in mails include
 * them.
 */
export async function expireSignInLinks(trx: Database, userId: string): Promise<void> {
  await trx
    .updateTable('sign_ins')
    .set(({ ref }) => ({ expires_at: ref('created_at') }))
    .where('user_id', '=', userId)
    .execute();
}
