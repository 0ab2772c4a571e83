import type { QueryFunction } from './connect.ts';

/** Size of an installation, for its operators. */
interface Inventory {
  /**
   * Number of rows inserted into `readings`, from the statistics of its partitions or chunks. The rate of inserts is the difference of two
   * values divided by the time between them. The number may lag by a second, and decreases if a partition is dropped or the server crashes.
   */
  readingsStored: number;
  rejectedLastHour: number;
  rejectedLastDay: number;
  active: number;
  inactive: number;
  faulty: number;
}

/** Maximum number of rejected messages that are counted, so that a device with many invalid messages does not slow down the count. */
const MAX_REJECTIONS = 100_000;

/** Reads the inventory in one statement, which does not scan the readings. */
export async function readInstallationInventory(query: QueryFunction, now: Date): Promise<Inventory> {
  const rejectedWithin = (time: string) => `(SELECT count(*) FROM (SELECT FROM rejected_messages
    WHERE received_at > $1::timestamptz - interval '${time}' LIMIT ${MAX_REJECTIONS}) counted)`;
  // Raw SQL: the statement reads the catalogue of the server, and sums over relations whose names are known only at run time.
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

/** Age of the latest reading, and lengths of the queues that are stored in the database. */
interface Waiting {
  /** Age of the most recent reading of all devices. Null if there are no readings. */
  lagSeconds: number | null;
  /** Number of corrections of stored consumption, from late readings, that the aggregates do not contain yet. */
  lateDifferences: number;
  /** Number of days whose aggregates must be recomputed. */
  staleDays: number;
  /** Number of hours of users' consumption that have changed and whose alerts are not evaluated yet. */
  usageChanges: number;
  /** Number of deliveries that have neither succeeded nor been given up. */
  deliveries: number;
}

/**
 * Reads the lengths of all queues in one statement. `most`: maximum up to which each queue is counted, to limit the cost; null: no maximum.
 */
export async function readBacklogs(query: QueryFunction, now: Date, most: number | null = null): Promise<Waiting> {
  const count = (rows: string) => `(SELECT count(*) FROM (SELECT FROM ${rows} LIMIT $2) counted)`;
  // Raw SQL: one statement counts five relations, so that all counts are of the same moment.
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
