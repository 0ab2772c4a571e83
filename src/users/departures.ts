import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

/** Time after the move during which messages of a moved account's devices are stored for its new installation (decision 0058). */
const KEPT_DAYS = 90;

/** Remaining data of accounts that moved to another installation. */
export interface MovedAccountsRemoved {
  /** Number of accounts whose storage period ended, and of their removed messages that were never forwarded. */
  ended: number;
  removed: number;
  /** Messages that wait to be forwarded, and the time when the first of them will be removed; null if none wait. */
  waiting: number;
  firstEnds: Date | null;
}

/**
 * Ends the storage for moved accounts 90 days after their move: messages that were never forwarded are removed, and their devices become
 * unknown here. Accounts that have returned and unfinished moves are skipped.
 */
export async function endExpiredDepartures(db: Database, now: Date): Promise<MovedAccountsRemoved> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: intervals, and messages without a login. Deleting years of messages may exceed the usual statement timeout.
    await sql`SET LOCAL statement_timeout = 0`.execute(trx);
    const { rows: ended } = await sql<{ id: string }>`
      DELETE FROM departures WHERE left_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS}) RETURNING user_id AS id`.execute(
      trx,
    );
    const ids = ended.map(({ id }) => id);
    await sql`DELETE FROM departed_logins WHERE user_id = ANY (${ids}::text[])`.execute(trx);
    // Also removes messages that a concurrent writer stored while the period ended.
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
