import type { Pool } from '#src/database/connect.ts';

/** Undelivered events are kept so long, in a pause too; the log of what was delivered for a month. */
const UNDELIVERED_DAYS = 7;
const LOG_DAYS = 30;
/** The history of firings. A silence that goes on is kept: forgotten, it would be told of again. */
const FIRINGS_DAYS = 400;

/** Gives up deliveries that have waited for a week, and removes events of more than a month ago with their deliveries. */
export async function forgetEvents(pool: Pool, now: Date): Promise<{ givenUp: number; forgotten: number }> {
  const { rowCount: givenUp } = await pool.query(
    `UPDATE deliveries SET status = 'failed' WHERE status = 'pending' AND created_at < $1::timestamptz - make_interval(days => ${UNDELIVERED_DAYS})`,
    [now],
  );
  await pool.query(
    `DELETE FROM alert_firings WHERE period_end < $1::timestamptz - make_interval(days => ${FIRINGS_DAYS})`,
    [now],
  );
  const { rowCount: forgotten } = await pool.query(
    `DELETE FROM events WHERE created_at < $1::timestamptz - make_interval(days => ${LOG_DAYS})`,
    [now],
  );
  return { givenUp: givenUp ?? 0, forgotten: forgotten ?? 0 };
}
