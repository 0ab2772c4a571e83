import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';

/** How long undelivered events are kept, also during a pause, and how long the log of deliveries is. */
export const UNDELIVERED_DAYS = 7;
const LOG_DAYS = 30;
/** How long firings are kept. A silence that continues is kept: without its row it would fire again. */
const FIRINGS_DAYS = 400;

/** Gives up deliveries that have waited for a week, and removes events of more than a month ago with their deliveries. */
export async function deleteExpiredEvents(db: Database, now: Date): Promise<{ givenUp: number; forgotten: number }> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({ status: 'failed' })
    .where('status', '=', 'pending')
    .where('created_at', '<', daysAgo(UNDELIVERED_DAYS))
    .executeTakeFirst();
  await db.deleteFrom('alert_firings').where('period_end', '<', daysAgo(FIRINGS_DAYS)).execute();
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('created_at', '<', daysAgo(LOG_DAYS))
    .executeTakeFirst();
  return { givenUp: Number(numUpdatedRows), forgotten: Number(numDeletedRows) };
}
