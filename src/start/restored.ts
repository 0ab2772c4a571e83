import { deleteApp } from '#src/auth/apps.ts';
import { revokeKeys } from '#src/auth/keys.ts';
import { removePasskeys } from '#src/auth/passkeys.ts';
import { closeSessions } from '#src/auth/sessions.ts';
import { type DeletionRecord, readDeletionsToReapply, removeDeletionsToReapply } from '#src/backup/deletion-records.ts';
import type { Logger } from '#src/core/log.ts';
import { createDatabase, type Database, type Pool } from '#src/database/connect.ts';
import { type AccessibleAccounts, ALL_ACCOUNTS } from '#src/database/reach.ts';
import { holdDueMessages } from '#src/delivery/hold.ts';
import { deleteWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { deleteGateway } from '#src/devices/gateways.ts';
import { deleteDevice } from '#src/devices/store.ts';
import { endAuthorizationsWithoutMail } from '#src/users/app-access.ts';
import { endMembershipsWithoutMail } from '#src/users/end-membership.ts';
import { eraseUser } from '#src/users/erase.ts';

/** Returns a function that deletes or revokes several objects, one after the other. */
const each =
  (end: (db: Database, reach: AccessibleAccounts, id: string) => Promise<unknown>) =>
  async (db: Database, ids: readonly string[]) => {
    for (const id of ids) await end(db, ALL_ACCOUNTS, id);
  };

/** Functions that delete or revoke objects of each kind. They ignore missing objects. */
const END: Record<DeletionRecord['kind'], (db: Database, ids: readonly string[]) => Promise<void>> = {
  member: (db, ids) => endMembershipsWithoutMail(db, ids, new Date()),
  authorization: endAuthorizationsWithoutMail,
  app: each(deleteApp),
  key: revokeKeys,
  passkey: removePasskeys,
  session: closeSessions,
  webhook: each(deleteWebhook),
  gateway: each(deleteGateway),
  device: each(deleteDevice),
  account: each((db, _reach, id) => eraseUser(db, id)),
};

/**
 * Prepares the first start of a restored installation. Holds notifications (mails, SMS, webhooks) that were due before the restore, because
 * they may already have been sent. Deletes again, without mails, the objects that were deleted after the backup was made; `ended.jsonl`
 * lists them. After an interruption, the next start repeats all steps.
 */
export async function prepareRestoredInstallation(pool: Pool, dataDir: string, log: Logger): Promise<void> {
  const restored = await readDeletionsToReapply(dataDir);
  if (restored === null) return;
  const db = createDatabase(pool);
  await holdDueMessages(db);
  // Processes the kinds in an order in which no deletion causes a mail about a dependent object.
  const byKind = Map.groupBy(restored.endings, ({ kind }) => kind);
  const counts: Record<string, number> = {};
  for (const [kind, endings] of byKind) {
    await END[kind](
      db,
      endings.map(({ id }) => id),
    );
    counts[kind] = endings.length;
  }
  await removeDeletionsToReapply(dataDir);
  log.warn(
    { until: restored.until, ended_again: counts },
    'restored: later deletions and revocations were repeated; notifications that were due before this start wait for "energy backup release"',
  );
}
