import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/**
 * Maximum number of users in a row of the queue `usage_changes`. It limits the work that a worker takes at once, because a worker takes
 * whole rows.
 */
const USERS_OF_A_ROW = 100;

/**
 * Queues a recomputation of a user's costs if the user has alerts on costs. Must be called in the transaction that changes the user's
 * tariffs.
 */
export const queueCostRecomputationOfUser = (trx: Database, userId: string): Promise<unknown> =>
  note(trx, sql`a.user_id = ${userId}`);

/** Queues a recomputation of costs for all users with alerts on costs whose tariffs use a price series. */
export const queueCostRecomputationOfSeries = (trx: Database, seriesId: string): Promise<unknown> =>
  note(
    trx,
    sql`a.user_id IN (SELECT user_id FROM tariffs WHERE terms #>> '{import,series_id}' = ${seriesId}
      UNION SELECT user_id FROM tariffs WHERE terms #>> '{export,series_id}' = ${seriesId})`,
  );

// Raw SQL: the database distributes the users to queue rows.
const note = (trx: Database, whose: RawBuilder<unknown>): Promise<unknown> =>
  sql`INSERT INTO usage_changes (hour, user_ids, costs_only)
    SELECT date_trunc('hour', now()), array_agg(user_id), true FROM (
      SELECT user_id, (row_number() OVER (ORDER BY user_id) - 1) / ${USERS_OF_A_ROW} AS part FROM (
        SELECT DISTINCT a.user_id FROM alerts a
        WHERE a.type IN ('daily_cost', 'monthly_cost') AND a.status = 'active' AND ${whose}) users) parts
    GROUP BY part`.execute(trx);
