import type { Pool } from '#src/database/connect.ts';

const REJECTED_DAYS = 90;
const MAX_REJECTED_BYTES = 2 ** 30;

/** Deletes rejected messages that are older than 90 days, and the oldest rejected messages beyond 1 GiB. */
export async function deleteExpiredRejectedMessages(pool: Pool, now: Date, bytes = MAX_REJECTED_BYTES): Promise<void> {
  // Raw SQL: a window function limits the stored messages by their total size.
  await pool.query('DELETE FROM rejected_messages WHERE received_at < $1::timestamptz - make_interval(days => $2)', [
    now,
    REJECTED_DAYS,
  ]);
  // PostgreSQL reads the length of a payload from its TOAST pointer, without loading the payload.
  await pool.query(
    `DELETE FROM rejected_messages WHERE rejected_id <= (
       SELECT max(rejected_id) FROM (
         SELECT rejected_id, sum(octet_length(payload) + 200) OVER (ORDER BY rejected_id DESC) AS bytes FROM rejected_messages
       ) r WHERE bytes > $1)`,
    [bytes],
  );
}

const EXAMPLE_HOURS = 24;
const UNREAD_DAYS = 30;

/**
 * Deletes samples of unrecognised messages after 24 hours. Deletes a topic pattern (`shape`) if no unrecognised message on it was received
 * for 30 days.
 */
export async function deleteExpiredUnrecognisedMessages(pool: Pool, now: Date): Promise<void> {
  // Raw SQL: SKIP LOCKED skips rows that ingest has locked, because waiting for them could deadlock. They are deleted in the next
  // run.
  const stale = (where: string) =>
    `(gateway_id, shape) IN (SELECT gateway_id, shape FROM unread_messages WHERE ${where} FOR UPDATE SKIP LOCKED)`;
  await pool.query(
    `UPDATE unread_messages SET example_topic = NULL, example_payload = NULL, example_bytes = NULL, example_received_at = NULL
     WHERE ${stale('example_received_at < $1::timestamptz - make_interval(hours => $2)')}`,
    [now, EXAMPLE_HOURS],
  );
  const isOld = stale('last_seen_at < $1::timestamptz - make_interval(days => $2)');
  await pool.query(`DELETE FROM unread_messages WHERE ${isOld}`, [now, UNREAD_DAYS]);
}
