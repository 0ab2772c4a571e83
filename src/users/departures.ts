import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

/** So long after it left, what an account's devices still publish here is kept for where it is (decision 0058). */
const KEPT_DAYS = 90;

/** What is left here of accounts that moved into another installation. */
export interface Departed {
  /** Accounts whose departure ended now, and the messages of theirs that were removed with it: nobody had taken them over. */
  ended: number;
  removed: number;
  /** Messages that wait for the command, and when the first of them will be removed; null where none wait. */
  waiting: number;
  firstEnds: Date | null;
}

/**
 * Ends departures 90 days after they were finished: what was kept for the other installation and never taken there is removed, and their devices
 * are unknown here from then on. Accounts that are here again, and moves that are not finished, are left alone.
 */
export async function endDepartures(db: Database, now: Date): Promise<Departed> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: intervals, and what belongs to no login. Years of messages take longer than any answer may.
    await sql`SET LOCAL statement_timeout = 0`.execute(trx);
    const { rows: ended } = await sql<{ id: string }>`
      DELETE FROM departures WHERE left_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS}) RETURNING user_id AS id`.execute(
      trx,
    );
    const ids = ended.map(({ id }) => id);
    await sql`DELETE FROM departed_logins WHERE user_id = ANY (${ids}::text[])`.execute(trx);
    // Also what a writer kept while the departure before it ended.
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
