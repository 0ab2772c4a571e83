import type { Pool } from '#src/database/connect.ts';

const DAYS = 90;
const BYTES = 2 ** 30;

/** Deletes rejected messages that are older than 90 days, and the oldest ones beyond 1 GiB. */
export async function forgetRejected(pool: Pool, now: Date, bytes = BYTES): Promise<void> {
  // Raw SQL: a window function bounds what is kept by its size.
  await pool.query('DELETE FROM rejected_messages WHERE received_at < $1::timestamptz - make_interval(days => $2)', [
    now,
    DAYS,
  ]);
  // A payload's length is read without the payload: its length is in the pointer to it.
  await pool.query(
    `DELETE FROM rejected_messages WHERE rejected_id <= (
       SELECT max(rejected_id) FROM (
         SELECT rejected_id, sum(octet_length(payload) + 200) OVER (ORDER BY rejected_id DESC) AS bytes FROM rejected_messages
       ) r WHERE bytes > $1)`,
    [bytes],
  );
}
