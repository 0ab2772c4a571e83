import type { Query } from './connect.ts';

/** Size of an installation, for its operators. */
interface Inventory {
  /**
   * Rows that were put into `readings`, from the statistics of its partitions or chunks: two of them tell the rate. It may
   * lag by a second, and begins again lower where a partition was dropped or the server was not shut down.
   */
  readingsStored: number;
  rejectedLastHour: number;
  rejectedLastDay: number;
  active: number;
  inactive: number;
  faulty: number;
}

/** Rejections are counted up to this number, so that a flooding device does not slow the count down. */
const MAX_REJECTIONS = 100_000;

/** Reads it in one statement, in which nothing of the readings is looked at. */
export async function inventory(query: Query, now: Date): Promise<Inventory> {
  const rejectedWithin = (time: string) => `(SELECT count(*) FROM (SELECT FROM rejected_messages
    WHERE received_at > $1::timestamptz - interval '${time}' LIMIT ${MAX_REJECTIONS}) counted)`;
  // Raw SQL: the catalogue of the server, and sums over relations that are named at run time.
  const { rows } = await query<Inventory>(
    `SELECT (SELECT coalesce(sum(pg_stat_get_tuples_inserted(inhrelid)), 0)::bigint FROM pg_inherits
         WHERE inhparent = 'readings'::regclass) AS "readingsStored",
       ${rejectedWithin('1 hour')} AS "rejectedLastHour",
       ${rejectedWithin('1 day')} AS "rejectedLastDay", d.*
     FROM (SELECT count(*) FILTER (WHERE status = 'active') AS active, count(*) FILTER (WHERE status = 'inactive') AS inactive,
         count(*) FILTER (WHERE status = 'faulty') AS faulty FROM devices WHERE deleted_at IS NULL) d`,
    [now],
  );
  return rows[0] as Inventory;
}

/** What waits in the database to be worked on. */
interface Waiting {
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
