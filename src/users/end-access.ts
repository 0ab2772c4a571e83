import { type Database, queryOf } from '#src/database/connect.ts';
import { addEvents, pauseSubscriptions } from '#src/events/outbox.ts';
import { recordAct } from './audit.ts';

/** Why whatever gave access to an account ended: the account may have been in the hands of somebody else before. */
export type AccessEnd = 'email' | 'role' | 'link' | 'first_sign_in';

/**
 * Ends whatever gave access to an account before, in the transaction that changed its address, its role or who signs in to it: all keys,
 * sessions, waiting links and pending changes of addresses, also those that it requested for others. Its active subscriptions are paused,
 * since a changed role may reach more accounts. Only the session `exceptSession` stays. The account's person gets a mail with what
 * ended; none if nothing did. The account's row must be locked, so that nobody adds a key meanwhile.
 */
export async function endAccess(
  trx: Database,
  userId: string,
  { because, exceptSession = '' }: { because: AccessEnd; exceptSession?: string },
): Promise<void> {
  const now = new Date();
  const keys = await trx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returning(['key_id', 'name', 'prefix'])
    .execute();
  const sessions = await trx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('session_id', '<>', exceptSession)
    .returning(['session_id', 'user_agent', 'address'])
    .execute();
  await trx.deleteFrom('sign_ins').where('user_id', '=', userId).execute();
  await trx
    .deleteFrom('email_changes')
    .where(({ eb, or }) => or([eb('user_id', '=', userId), eb('requester_user_id', '=', userId)]))
    .execute();
  const webhooks = await pauseSubscriptions(queryOf(trx), userId);
  const [keysEnded, sessionsEnded, webhooksPaused] = [keys.length, sessions.length, webhooks.length];
  if (keysEnded + sessionsEnded + webhooksPaused === 0) return;
  await recordAct(trx, {
    actor: null,
    address: null,
    action: 'access.ended',
    target: userId,
    details: { because, keys: keysEnded, sessions: sessionsEnded, webhooks: webhooksPaused },
  });
  const data = { because, keys, sessions, webhooks };
  await addEvents(queryOf(trx), [{ type: 'access.ended', userId, data, channel: 'email' }], now);
}
