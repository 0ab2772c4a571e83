import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

/**
 * Number of days for which messages of devices are stored after their account has moved to another installation, so that they can
 * be forwarded there.
 */
const KEPT_DAYS = 90;

/** Result of removing the remaining data of accounts that moved to another installation. */
interface MovedAccountRemovalCounts {
  /** Number of accounts that moved 90 days ago, and whose remaining data this call removed. */
  ended: number;
  /** Number of messages of these accounts that were removed before they could be forwarded. */
  removed: number;
  /** Number of messages that still wait to be forwarded. */
  waiting: number;
  /** Time of the next removal; null if no message waits. */
  firstEnds: Date | null;
}

/**
 * Removes the messages of accounts that moved to another installation 90 days ago. Their devices are then unknown here. Skips
 * accounts that have returned, and moves that are not complete.
 */
export async function removeExpiredMovedAccounts(db: Database, now: Date): Promise<MovedAccountRemovalCounts> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: the statements use intervals, and find messages by login. The statement timeout is disabled, because deleting many messages
    // may take long.
    await sql`SET LOCAL statement_timeout = 0`.execute(trx);
    const { rows: ended } = await sql<{ id: string }>`
      DELETE FROM departures WHERE left_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS}) RETURNING user_id AS id`.execute(
      trx,
    );
    const ids = ended.map(({ id }) => id);
    await sql`DELETE FROM departed_logins WHERE user_id = ANY (${ids}::text[])`.execute(trx);
    // Also removes messages that a concurrent writer stored after this transaction had begun.
    const { numAffectedRows: removed = 0n } = await sql`
      DELETE FROM departed_messages m WHERE NOT EXISTS (SELECT FROM departed_logins l WHERE l.login = m.login)`.execute(
      trx,
    );
    const { rows } = await sql<{ waiting: number; firstEnds: Date | null }>`
      SELECT count(*) AS waiting, min(left_at) + make_interval(days => ${KEPT_DAYS}) AS "firstEnds"
      FROM departed_messages JOIN departed_logins USING (login) JOIN departures USING (user_id)`.execute(trx);
    return { ended: ids.length, removed: Number(removed), waiting: 0, firstEnds: null, ...rows[0] };
  });
}
