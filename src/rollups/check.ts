import type { Pool, PoolClient } from '#src/database/connect.ts';
import { AGGREGATES, type Aggregate, columnsOf } from './relations.ts';

/** A row of an aggregate that is not what the load profile beneath it says. */
export interface Difference {
  relation: string;
  user_id: string;
  key: Record<string, string>;
  stored_mwh: number | null;
  expected_mwh: number | null;
}

/** Start of the first month that the nightly check looks at: readings, and with them changes, come no earlier. */
export function firstCheckedMonth(now: Date, retentionMonths: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - retentionMonths + 1, 1));
}

/** Every user that has a load profile or an aggregate, in order. */
export async function usersToCheck(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    'SELECT user_id FROM users UNION SELECT DISTINCT user_id FROM user_daily ORDER BY 1',
  );
  return rows.map((row) => row.user_id);
}

/** Compares one user's aggregates with the load profile, from `since` (a start of a month) on, in one snapshot each. */
export async function checkUser(db: Pool | PoolClient, userId: string, since: Date): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const aggregate of AGGREGATES) {
    const { rows } = await db.query(differenceQuery(aggregate), [userId, since]);
    for (const row of rows) {
      differences.push({
        relation: aggregate.relation,
        user_id: userId,
        key: row.key,
        stored_mwh: row.stored_mwh,
        expected_mwh: row.expected_mwh,
      });
    }
  }
  return differences;
}

function differenceQuery(aggregate: Aggregate): string {
  const { relation, bucket, keys } = aggregate;
  const side = (name: string) =>
    `(SELECT ${columnsOf(aggregate).join(', ')} FROM ${name} WHERE user_id = $1 AND ${bucket} >= $2)`;
  const values = columnsOf(aggregate).filter((column) => !(keys as readonly string[]).includes(column));
  const row = (alias: string) => `(${values.map((column) => `${alias}.${column}`).join(', ')})`;
  const key = keys.map((column) => `'${column}', coalesce(s.${column}::text, e.${column}::text)`).join(', ');
  return `SELECT jsonb_build_object(${key}) AS key, s.energy_mwh AS stored_mwh, e.energy_mwh AS expected_mwh
    FROM ${side(relation)} s FULL JOIN ${side(`${relation}_expected`)} e USING (${keys.join(', ')})
    WHERE ${row('s')} IS DISTINCT FROM ${row('e')} ORDER BY 1 LIMIT 1000`;
}
