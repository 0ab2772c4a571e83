import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { addEvents, pauseWebhookSubscriptions } from '#src/events/outbox.ts';
import { endAuthorizations } from './app-access.ts';
import { recordAuditedAction } from './audit.ts';
import { expireSignInLinks } from './email-changes.ts';
import { endMembershipsOfAccount } from './end-membership.ts';

/**
 * Change of an account after which all access to it ends: its e-mail address, role or sign-in. Another person may have used the account
 * before.
 */
export type AccessEndReason = 'email' | 'role' | 'link' | 'first_sign_in';

/**
 * Ends all access to an account, in the transaction that changed its address, role or sign-in: keys, members, authorizations of
 * apps, passkeys, sign-in links, pending changes of address, and all sessions except `exceptSession`. Pauses its webhook
 * subscriptions. Mails the account a list of everything that ended. The caller must have locked the account's row.
 */
export async function endAccountAccess(
  trx: Database,
  userId: string,
  { because, exceptSession = '' }: { because: AccessEndReason; exceptSession?: string },
): Promise<void> {
  const now = new Date();
  // Sends separate mails about ended memberships to the members and to the home. The mail about the ended access does not list them.
  await endMembershipsOfAccount(trx, userId, { because: 'access', now, isHomeOnly: true });
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
  const passkeys = await trx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .returning(['passkey_id', 'name'])
    .execute();
  const apps = await endAuthorizations(trx, { homeIds: [userId] }, 'access');
  await expireSignInLinks(trx, userId);
  await trx
    .deleteFrom('email_changes')
    .where(({ eb, or }) => or([eb('user_id', '=', userId), eb('requester_user_id', '=', userId)]))
    .execute();
  const webhooks = await pauseWebhookSubscriptions(createQueryFunction(trx), userId);
  const [keysEnded, sessionsEnded, webhooksPaused] = [keys.length, sessions.length, webhooks.length];
  if (keysEnded + sessionsEnded + passkeys.length + webhooksPaused + apps.length === 0) return;
  await recordAuditedAction(trx, {
    actor: null,
    address: null,
    action: 'access.ended',
    target: userId,
    details: {
      because,
      keys: keysEnded,
      sessions: sessionsEnded,
      passkeys: passkeys.length,
      webhooks: webhooksPaused,
      authorizations: apps.length,
    },
  });
  const data = { because, keys, sessions, passkeys, webhooks };
  await addEvents(createQueryFunction(trx), [{ type: 'access.ended', userId, data, channel: 'email' }], now);
}
