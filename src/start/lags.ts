import type { Pool } from '#src/database/connect.ts';

/** What waits in the database, by metric. */
export const LAGS: Record<string, string> = {
  energy_ingest_lag_seconds: 'Age of the youngest reading of any device',
  energy_late_differences_waiting: 'Late differences that are not in the aggregates yet',
  energy_stale_days: 'Days whose aggregates are to be computed anew',
  energy_usage_changes_waiting: 'Changed hours whose alerts are not evaluated yet',
  energy_deliveries_waiting: 'Deliveries that are neither through nor given up',
};

/** Reads them all in one statement. */
export async function lags(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query(
    `SELECT extract(epoch FROM now() - max(last_seen_at))::float8 AS energy_ingest_lag_seconds,
       (SELECT count(*) FROM late_deltas)::float8 AS energy_late_differences_waiting,
       (SELECT count(*) FROM stale_days)::float8 AS energy_stale_days,
       (SELECT count(*) FROM usage_changes)::float8 AS energy_usage_changes_waiting,
       (SELECT count(*) FROM deliveries WHERE status = 'pending')::float8 AS energy_deliveries_waiting
     FROM devices`,
  );
  return Object.fromEntries(Object.entries(rows[0]).filter(([, value]) => value !== null)) as Record<string, number>;
}
