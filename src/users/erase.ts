import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { together } from '#src/database/transaction.ts';

/**
 * Removes an account and everything that is known of it, on every tier: devices with their readings (compressed ones,
 * too), what was rejected, what was computed, keys. One transaction: all of it or nothing. Readings that arrive meanwhile
 * wait for it and then belong to nobody. Answers false where there is no such user.
 */
export async function eraseUser(db: Database, userId: string): Promise<boolean> {
  // Workers that are telling of the user hold rows that go with it, and wait for others: of such a circle one must yield,
  // and begins again.
  return together(db, async (trx) => {
    // Before anything that writers wait for: a refresh may take a while.
    await sql`SELECT hold_refresh()`.execute(trx);
    // In the order of those who evaluate: changed hours first, then the account.
    await sql`DELETE FROM usage_changes WHERE user_id = ${userId}`.execute(trx);
    // Then the account, so that no device can be added to it; then its devices, so that no writer is at them.
    const user = await sql`SELECT FROM users WHERE user_id = ${userId} FOR UPDATE`.execute(trx);
    if (user.rows.length === 0) return false;
    const { rows } = await sql<{ device_id: string; series: number[] }>`
      SELECT d.device_id, ARRAY(SELECT series_id FROM series s WHERE s.device_id = d.device_id) AS series
      FROM (SELECT device_id FROM devices WHERE user_id = ${userId} ORDER BY device_id FOR UPDATE) d`.execute(trx);
    const series = rows.flatMap((row) => row.series);
    const devices = rows.map((row) => row.device_id);
    await sql`DELETE FROM readings WHERE series_id = ANY (${series}::bigint[])`.execute(trx);
    await sql`DELETE FROM reading_notes WHERE series_id = ANY (${series}::bigint[])`.execute(trx);
    await sql`DELETE FROM rejected_messages WHERE device_id = ANY (${devices})
      OR device_id IN (SELECT gateway_id FROM gateways WHERE user_id = ${userId})`.execute(trx);
    await sql`SELECT erase_consumption(${userId})`.execute(trx);
    await sql`DELETE FROM usage_changes WHERE user_id = ${userId}`.execute(trx);
    // Keys, devices, their series and what hangs on these go with the account.
    await sql`DELETE FROM users WHERE user_id = ${userId}`.execute(trx);
    return true;
  });
}
