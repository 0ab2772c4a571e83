import type { Pool } from '#src/database/connect.ts';
import { checkUser } from '#src/rollups/check.ts';
import { COLUMN, HOURS } from '#src/rollups/levels.ts';
import { rebuildTables } from '#src/rollups/rebuild.ts';
import { markStale, settleRollups, withRefreshHeld } from '#src/rollups/refresh.ts';
import type { Installation } from './ends.ts';

// Raw SQL: relations are named at run time, out of src/rollups/levels.ts.

/** From the beginning. */
const EVER = new Date(0);

const monthOf = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1));

/** Those of the keys (`keysOf`) that have anything. */
export async function keysWithRows(pool: Pool, keys: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT k AS key FROM unnest($1::text[]) k WHERE EXISTS (SELECT FROM device_hours WHERE user_id = k)
       OR EXISTS (SELECT FROM device_days WHERE user_id = k) OR EXISTS (SELECT FROM closed_user_daily WHERE user_id = k)`,
    [keys],
  );
  return rows.map(({ key }) => key);
}

/** Makes the aggregates of keys those of the load profile that was copied, where they are not: whatever a move that was broken off has left. */
export async function mendAggregates(target: Installation, keys: readonly string[]): Promise<void> {
  const wrong: string[] = [];
  for (const key of keys) if (!(await isRight(target, key, EVER))) wrong.push(key);
  await computeAggregates(target, wrong, EVER);
}

/** Computes the aggregates of keys anew from the month of a time on. */
export async function computeAggregates(
  { pool, database }: Installation,
  keys: readonly string[],
  since: Date,
): Promise<void> {
  if (keys.length === 0) return;
  const from = monthOf(since);
  if (!database.capabilities.continuousAggregates) {
    for (const key of keys) await rebuildTables(pool, key, from);
    return;
  }
  const { rows } = await pool.query(
    `SELECT date_trunc('day', ${HOURS.time}, 'UTC') AS day FROM ${HOURS.relation} WHERE user_id = ANY ($1) AND ${HOURS.time} >= $2
     UNION SELECT day FROM closed_user_daily WHERE user_id = ANY ($1) AND day >= $2`,
    [keys, from],
  );
  await markStale(
    pool,
    rows.map(({ day }) => day),
  );
  await settleRollups(pool, new Date());
}

/** Throws where an aggregate of a key differs from the load profile beneath it, from the month of a time on. */
export async function mustBeRight(target: Installation, keys: readonly string[], since: Date): Promise<void> {
  const wrong: string[] = [];
  for (const key of keys) if (!(await isRight(target, key, monthOf(since)))) wrong.push(key);
  if (wrong.length > 0)
    throw new Error(`the aggregates of ${wrong.slice(0, 10).join(', ')} are not those of their load profile`);
}

async function isRight({ pool, database }: Installation, key: string, since: Date): Promise<boolean> {
  const differences = database.capabilities.continuousAggregates
    ? await withRefreshHeld(pool, (client) => checkUser(client, key, since))
    : await checkUser(pool, key, since);
  return differences.length === 0;
}

/** Consumption of keys in closed hours, in mWh, as text: a relation's total. */
export async function totalOf(
  pool: Pool,
  relation: 'closed_device_hourly' | 'closed_user_daily',
  keys: readonly string[],
): Promise<string> {
  const { rows } = await pool.query(
    `SELECT coalesce(sum(${COLUMN.energyMilliwattHours}), 0)::text AS total FROM ${relation} WHERE user_id = ANY ($1)`,
    [keys],
  );
  return rows[0].total;
}
