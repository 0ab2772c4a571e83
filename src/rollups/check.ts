import type { Pool, PoolClient } from '#src/database/connect.ts';
import { getRetentionStartMs } from '#src/database/migrate.ts';
import {
  COLUMN_BY_MEASURE,
  getClosedHoursRelation,
  getExpectedValuesRelation,
  KNOWN_DATA_COLUMNS,
  listRollupColumns,
  listRollupValueColumns,
  type RollupLevel,
  STORED_ROLLUP_LEVELS,
} from './levels.ts';

/**
 * A stored sum that differs from the sum of the quarter-hourly consumption. Both values exclude the latest hour of each device, which is
 * stored in `device_heads`.
 */
export interface RollupDifference {
  relation: string;
  user_id: string;
  key: Record<string, string>;
  stored_milliwatt_hours: number | null;
  expected_milliwatt_hours: number | null;
}

/** Returns the start of the first month that is checked. Earlier months cannot change any more, because readings from them are rejected. */
export function findFirstCheckedMonth(now: Date, retentionMonths: number): Date {
  const from = new Date(getRetentionStartMs(now.getTime(), retentionMonths));
  return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), 1));
}

/**
 * Returns the ids of all users, and the other keys with stored sums, for example those of gas meters. `userId`: only this user and its
 * meters.
 */
export async function listUsersToCheck(pool: Pool, userId: string | null = null): Promise<string[]> {
  // Raw SQL: names of relations are known only at run time.
  const { rows } = await pool.query(
    `SELECT user_id FROM users WHERE $1::text IS NULL OR user_id = $1
     UNION SELECT DISTINCT user_id FROM closed_user_daily
     WHERE $1::text IS NULL OR user_id = $1 OR (user_id > $1 || '/' AND user_id < $1 || '0') ORDER BY 1`,
    [userId],
  );
  return rows.map((row) => row.user_id);
}

export const MAX_REPORTED_DIFFERENCES = 1_000;

/** Compares one user's stored sums with the quarter-hourly consumption, from `since` (a start of a month) on. */
export async function checkUserRollups(
  db: Pool | PoolClient,
  userId: string,
  since: Date,
): Promise<RollupDifference[]> {
  const differences: RollupDifference[] = [];
  for (const level of STORED_ROLLUP_LEVELS) {
    const { rows } = await db.query(differenceQuery(level), [userId, since]);
    for (const row of rows) {
      differences.push({
        relation: level.relation,
        user_id: userId,
        key: row.key,
        stored_milliwatt_hours: row.stored_milliwatt_hours,
        expected_milliwatt_hours: row.expected_milliwatt_hours,
      });
    }
  }
  return differences;
}

function differenceQuery(level: RollupLevel): string {
  const { time, keys } = level;
  // Positive and negative changes may cancel out and leave a row without data. Queries ignore such rows, so they are not compared.
  const isKnown = KNOWN_DATA_COLUMNS.map((column) => `${column} <> 0`).join(' OR ');
  const side = (name: string) =>
    `(SELECT ${listRollupColumns(level).join(', ')} FROM ${name} WHERE user_id = $1 AND ${time} >= $2 AND (${isKnown}))`;
  const row = (alias: string) =>
    `(${listRollupValueColumns(level)
      .map((column) => `${alias}.${column}`)
      .join(', ')})`;
  const key = keys.map((column) => `'${column}', coalesce(s.${column}::text, e.${column}::text)`).join(', ');
  return `SELECT jsonb_build_object(${key}) AS key, s.${COLUMN_BY_MEASURE.energyMilliwattHours} AS stored_milliwatt_hours, e.${COLUMN_BY_MEASURE.energyMilliwattHours} AS expected_milliwatt_hours
    FROM ${side(getClosedHoursRelation(level))} s FULL JOIN ${side(getExpectedValuesRelation(level))} e USING (${keys.join(', ')})
    WHERE ${row('s')} IS DISTINCT FROM ${row('e')} ORDER BY 1 LIMIT ${MAX_REPORTED_DIFFERENCES}`;
}
