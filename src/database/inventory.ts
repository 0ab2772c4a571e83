import type { Query } from './connect.ts';

/** Size of an installation, for its operators. */
export interface Inventory {
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
