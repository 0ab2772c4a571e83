import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { discardHeldUsageChanges } from './hold.ts';

/** Number of days after which undelivered events are given up. */
export const MAX_PENDING_DELIVERY_DAYS = 7;
const LOG_DAYS = 30;
/**
 * Number of days for which alert firings are retained. The firing of a continuing silence is never deleted, because the alert would fire
 * again.
 */
const FIRINGS_DAYS = 400;

/**
 * Gives up deliveries that have been pending for a week, discards changed hours that have been held for a week, and deletes events older
 * than a month.
 */
export async function deleteExpiredEvents(db: Database, now: Date): Promise<{ givenUp: number; forgotten: number }> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({ status: 'failed' })
    .where('status', '=', 'pending')
    .where('created_at', '<', daysAgo(MAX_PENDING_DELIVERY_DAYS))
    .executeTakeFirst();
  await discardHeldUsageChanges(db, daysAgo(MAX_PENDING_DELIVERY_DAYS));
  await db.deleteFrom('alert_firings').where('period_end', '<', daysAgo(FIRINGS_DAYS)).execute();
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('created_at', '<', daysAgo(LOG_DAYS))
    .executeTakeFirst();
  return { givenUp: Number(numUpdatedRows), forgotten: Number(numDeletedRows) };
}
