import type { QueryFunction } from './connect.ts';

/** Size of an installation, for operators. */
interface Inventory {
  /**
   * Number of readings that were ever inserted, from PostgreSQL's statistics. It may lag by a second, and decreases if a partition is
   * dropped.
   */
  readingsStored: number;
  rejectedLastHour: number;
  rejectedLastDay: number;
  active: number;
  inactive: number;
  faulty: number;
}

/** Maximum number of rejected messages that are counted, to limit the time. */
const MAX_REJECTIONS = 100_000;

/** Reads the size of the installation in one statement. */
export async function readInstallationInventory(query: QueryFunction, now: Date): Promise<Inventory> {
  const rejectedWithin = (time: string) => `(SELECT count(*) FROM (SELECT FROM rejected_messages
    WHERE received_at > $1::timestamptz - interval '${time}' LIMIT ${MAX_REJECTIONS}) counted)`;
  // Raw SQL: reads the catalogue of the server.
  const { rows } = await query<Inventory>(
    `SELECT (SELECT coalesce(sum(pg_stat_get_tuples_inserted(inhrelid)), 0)::bigint FROM pg_inherits
         WHERE inhparent = 'readings'::regclass) AS "readingsStored",
       ${rejectedWithin('1 hour')} AS "rejectedLastHour",
       ${rejectedWithin('1 day')} AS "rejectedLastDay", d.*
     FROM (SELECT count(*) FILTER (WHERE NOT is_faulty AND is_recent) AS active,
         count(*) FILTER (WHERE NOT is_faulty AND NOT is_recent) AS inactive, count(*) FILTER (WHERE is_faulty) AS faulty
       FROM (SELECT is_faulty, coalesce(seen_at > now() - interval '24 hours', false) AS is_recent
         FROM devices JOIN device_heads USING (device_id) WHERE deleted_at IS NULL) one) d`,
    [now],
  );
  return rows[0] as Inventory;
}

/** Age of the latest reading, and lengths of the queues in the database. */
interface Waiting {
  /** Age of the latest reading of all devices. Null if there is none. */
  lagSeconds: number | null;
  /** Number of late changes of consumption that the sums do not contain yet. */
  lateDifferences: number;
  /** Number of days whose sums must be recomputed. */
  staleDays: number;
  /** Number of changed hours for which alerts are not evaluated yet. */
  usageChanges: number;
  /** Number of pending deliveries. */
  deliveries: number;
}

/** Reads the lengths of all queues. `most`: maximum up to which each is counted; null: no maximum. */
export async function readBacklogs(query: QueryFunction, now: Date, most: number | null = null): Promise<Waiting> {
  const count = (rows: string) => `(SELECT count(*) FROM (SELECT FROM ${rows} LIMIT $2) counted)`;
  // Raw SQL: one statement, so that all counts are of the same moment.
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
