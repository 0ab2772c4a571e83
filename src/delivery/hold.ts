import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

/**
 * Due times that mark a delivery as held after a restore, or as discarded afterwards. They are so late that no worker takes such a
 * delivery.
 */
export const HELD_DELIVERY_DUE_TIME = new Date('9999-12-31T00:00:00Z');

/** Whether a delivery is held back after a restore, judged by its due time. */
export const isDeliveryHeld = (nextAttemptAt: Date | null): boolean =>
  nextAttemptAt !== null && nextAttemptAt >= HELD_DELIVERY_DUE_TIME;

/**
 * Holds all messages that were due before a restore, because the lost installation may already have sent them. These are pending
 * deliveries, and changed hours whose alerts or events are pending. No worker may run during the call.
 */
export async function holdDueMessages(db: Database): Promise<void> {
  await joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL in this file: the statements change rows of all accounts, or the only row of `installation`.
    await sql`INSERT INTO installation (held_before) VALUES (now())
      ON CONFLICT (only_row) DO UPDATE SET held_before = coalesce(installation.held_before, excluded.held_before)`.execute(
      trx,
    );
    await sql`UPDATE deliveries SET next_attempt_at = ${HELD_DELIVERY_DUE_TIME}, leased_until = NULL WHERE status = 'pending'`.execute(
      trx,
    );
    await sql`INSERT INTO usage_changes (hour, user_ids) SELECT hour, array_agg(user_id) FROM usage_untold GROUP BY hour`.execute(
      trx,
    );
    await sql`DELETE FROM usage_untold`.execute(trx);
    await sql`UPDATE usage_changes SET is_held = true`.execute(trx);
  });
}

/** Returns the time of the restore before which due messages are held; null if none are held. */
export async function readRestoreHoldTime(db: Database): Promise<Date | null> {
  const { rows } = await sql<{ held_before: Date | null }>`SELECT held_before FROM installation`.execute(db);
  return rows[0]?.held_before ?? null;
}

/** Result of a release. `deliveries`: number of released deliveries. `changes`: number of changed hours whose alerts were not evaluated. */
interface ReleasedMessageCounts {
  deliveries: number;
  changes: number;
}

/** Ends the holding of messages after a restore. Held deliveries are sent or, if `isDropped`, given up. Returns null if nothing is held. */
export async function releaseHeldDeliveries(
  db: Database,
  { isDropped }: { isDropped: boolean },
): Promise<ReleasedMessageCounts | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const { numAffectedRows } =
      await sql`UPDATE installation SET held_before = NULL WHERE held_before IS NOT NULL`.execute(trx);
    if (!numAffectedRows) return null;
    const deliveries = isDropped
      ? sql`UPDATE deliveries SET status = 'failed' WHERE status = 'pending' AND next_attempt_at >= ${HELD_DELIVERY_DUE_TIME}`
      : sql`UPDATE deliveries SET next_attempt_at = now() WHERE status = 'pending' AND next_attempt_at >= ${HELD_DELIVERY_DUE_TIME}`;
    const changes = isDropped
      ? sql`DELETE FROM usage_changes WHERE is_held`
      : sql`UPDATE usage_changes SET is_held = NULL WHERE is_held`;
    return {
      deliveries: Number((await deliveries.execute(trx)).numAffectedRows ?? 0),
      changes: Number((await changes.execute(trx)).numAffectedRows ?? 0),
    };
  });
}

/**
 * Discards changed hours that were held before `weekAgo`, because deliveries of this age are given up. Alerts on silences stay held until
 * the operator releases them.
 */
export async function discardHeldUsageChanges(db: Database, weekAgo: Date): Promise<void> {
  await sql`DELETE FROM usage_changes WHERE is_held
    AND NOT EXISTS (SELECT FROM installation WHERE held_before >= ${weekAgo})`.execute(db);
}
