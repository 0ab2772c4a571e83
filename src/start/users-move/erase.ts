import { createDb, type Pool } from '#src/database/connect.ts';
import { inTransaction, joinOrBeginTransaction } from '#src/database/transaction.ts';
import { eraseTraces } from '#src/users/erase.ts';

/** Removes what is left of accounts that are open at the target, one by one, as an erasure does, and then the parcels. */
export async function erase(pool: Pool, userIds: readonly string[]): Promise<void> {
  const db = createDb(pool);
  // Raw SQL: parcels, and lists as one parameter.
  const { rows } = await pool.query(
    `SELECT u.user_id, ARRAY(SELECT row->>'device_id' FROM parcels WHERE relation = 'devices' AND row->>'user_id' = u.user_id
         UNION ALL SELECT row->>'gateway_id' FROM parcels WHERE relation = 'gateways' AND row->>'user_id' = u.user_id) AS senders,
       ARRAY(SELECT s.row->>'series_id' FROM parcels s JOIN parcels d ON d.relation = 'devices' AND d.row->>'device_id' = s.row->>'device_id'
         WHERE s.relation = 'series' AND d.row->>'user_id' = u.user_id) AS "seriesIds"
     FROM unnest($1::text[]) u (user_id)`,
    [userIds],
  );
  for (const { user_id: userId, senders, seriesIds } of rows)
    await joinOrBeginTransaction(db, (trx) => eraseTraces(trx, userId, { senders, seriesIds: seriesIds.map(Number) }));
  await inTransaction(pool, async (client) => {
    await client.query('DELETE FROM parcels');
    await client.query('UPDATE departures SET left_at = now() WHERE user_id = ANY ($1)', [userIds]);
  });
}
