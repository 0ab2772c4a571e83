import type { Pool } from '#src/database/connect.ts';

const EXAMPLE_HOURS = 24;
const DAYS = 30;

/** Deletes examples of unread messages that are older than 24 hours, and shapes that were not heard for 30 days. */
export async function forgetUnread(pool: Pool, now: Date): Promise<void> {
  // Raw SQL: rows that ingest writes just now are left for the next time: it takes several at once, in an order of its own.
  const stale = (where: string) =>
    `(gateway_id, shape) IN (SELECT gateway_id, shape FROM unread_messages WHERE ${where} FOR UPDATE SKIP LOCKED)`;
  await pool.query(
    `UPDATE unread_messages SET example_topic = NULL, example_payload = NULL, example_bytes = NULL, example_received_at = NULL
     WHERE ${stale('example_received_at < $1::timestamptz - make_interval(hours => $2)')}`,
    [now, EXAMPLE_HOURS],
  );
  const isOld = stale('last_seen_at < $1::timestamptz - make_interval(days => $2)');
  await pool.query(`DELETE FROM unread_messages WHERE ${isOld}`, [now, DAYS]);
}
