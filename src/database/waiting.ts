import type { Query } from './connect.ts';

/** What waits in the database to be worked on. */
export interface Waiting {
  /** Age of the youngest reading of any device; null where there is none. */
  lagSeconds: number | null;
  /** Late differences that are not in the aggregates yet. */
  lateDifferences: number;
  /** Days whose aggregates are to be computed anew. */
  staleDays: number;
  /** Changed hours of users whose alerts are not evaluated yet. */
  usageChanges: number;
  /** Deliveries that are neither through nor given up. */
  deliveries: number;
}

/** Reads them all in one statement. `most`: each is counted so far at most, which bounds what asking costs; null: to the end. */
export async function waiting(query: Query, now: Date, most: number | null = null): Promise<Waiting> {
  const count = (rows: string) => `(SELECT count(*) FROM (SELECT FROM ${rows} LIMIT $2) counted)`;
  // Raw SQL: counts of five relations in one statement, and so of one moment.
  const { rows } = await query<Waiting>(
    `SELECT extract(epoch FROM $1::timestamptz - max(seen_at))::float8 AS "lagSeconds",
       ${count('late_deltas')} AS "lateDifferences",
       ${count('stale_days')} AS "staleDays",
       ${count('usage_changes, unnest(user_ids)')} AS "usageChanges",
       ${count("deliveries WHERE status = 'pending'")} AS "deliveries"
     FROM device_heads`,
    [now, most],
  );
  return rows[0] as Waiting;
}
