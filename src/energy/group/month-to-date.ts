import { type RawBuilder, sql } from 'kysely';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import type { Home } from '../home/home.ts';
import { listHomeSumNames } from '../home/sums.ts';
import { totalsOfHomeSumsSql } from '../usage/home-sums.ts';
import type { BucketPartUsage } from './part.ts';

/** Stored sums of the first days of a group's current month. Only later days must be added to them. */
export interface MonthToDate {
  groupId: string;
  zone: string;
  /** First day of the month, YYYY-MM-DD. */
  month: string;
  /** Last day that the sums include, YYYY-MM-DD. */
  end: string;
  /** Combined usage of the homes whose usage is the sum of their imports. */
  parts: readonly BucketPartUsage[];
}

/** Columns of the table `kept_begun_homes` by the name of their sum. */
const COLUMNS = {
  balance: 'balance',
  floor: 'floor',
  alone: 'alone',
  estimated: 'estimated',
  gridMs: 'grid_ms',
  aloneMs: 'alone_ms',
};
const NAMES = listHomeSumNames(false) as (keyof typeof COLUMNS)[];

/**
 * Builds the query for the stored sums of some homes in the first days of a month. It must run in the snapshot in which the `MonthToDate`
 * was read. The column `home` is the home's index in `homes`.
 */
export function monthToDateHomesSql(
  { groupId, zone, month }: MonthToDate,
  homes: readonly Home[],
): RawBuilder<unknown> {
  const sums = sql.raw(NAMES.map((name) => `s."${name}"::float8`).join(', '));
  const arrays = sql.raw(NAMES.map((name) => `k.${COLUMNS[name]}`).join(', '));
  const named = sql.raw(NAMES.map((name) => `"${name}"`).join(', '));
  // Raw SQL: unnests parallel arrays.
  return sql`SELECT u.home, ${month}::text AS bucket, s.part::float8 AS part, ${sums}
    FROM unnest(${homes.map((_, place) => place)}::int[], ${homes.map(({ userId }) => userId)}::text[]) u (home, user_id)
    JOIN kept_begun_homes k ON k.group_id = ${groupId} AND k.zone = ${zone} AND k.unit = 'begun' AND k.bucket = ${month} AND k.user_id = u.user_id
    CROSS JOIN LATERAL unnest(k.hours_of_day, ${arrays}) s (part, ${named})`;
}

/**
 * Stores the sums of the first days of the current month. The caller must have deleted the sums of other months. `from`, `to`: bounds of
 * the days.
 */
export async function storeMonthToDate(
  trx: Database,
  { groupId, zone, month, parts }: MonthToDate,
  { from, to }: { from: Date; to: Date },
): Promise<void> {
  const column = (of: (part: BucketPartUsage) => number) => parts.map(of);
  await createQueryFunction(trx)(
    `INSERT INTO kept_group_sums (group_id, zone, unit, bucket, starts_at, ends_at, hours_of_day, used_by_hour, estimated_by_hour)
     VALUES ($1, $2, 'begun', $3, $4, $5, $6::smallint[], $7::bigint[], $8::bigint[])
     ON CONFLICT (group_id, zone, unit, bucket) DO UPDATE SET ends_at = excluded.ends_at, hours_of_day = excluded.hours_of_day,
       used_by_hour = excluded.used_by_hour, estimated_by_hour = excluded.estimated_by_hour`,
    [
      groupId,
      zone,
      month,
      from,
      to,
      column(({ part }) => part),
      column(({ used }) => used),
      column(({ estimated }) => estimated),
    ],
  );
}

/** Stores the sums of some homes in the first days of the current month. `profile`: query that returns these sums. */
export async function storeMonthToDateHomes(
  trx: Database,
  { groupId, zone, month }: Pick<MonthToDate, 'groupId' | 'zone' | 'month'>,
  homes: readonly Home[],
  profile: RawBuilder<unknown>,
): Promise<void> {
  const columns = sql.raw(NAMES.map((name) => COLUMNS[name]).join(', '));
  const arrays = sql.raw(NAMES.map((name) => `array_agg("${name}"::bigint ORDER BY part)`).join(', '));
  const set = sql.raw(NAMES.map((name) => `${COLUMNS[name]} = excluded.${COLUMNS[name]}`).join(', '));
  // Raw SQL: aggregates rows into parallel arrays.
  await sql`
    INSERT INTO kept_begun_homes (group_id, zone, bucket, user_id, hours_of_day, ${columns})
    SELECT ${groupId}, ${zone}, ${month}::date, (${homes.map(({ userId }) => userId)}::text[])[home + 1], array_agg(part::smallint ORDER BY part), ${arrays}
    FROM (SELECT home, part, ${totalsOfHomeSumsSql(homes)} FROM (${profile}) r GROUP BY 1, 2) p GROUP BY home
    ON CONFLICT (group_id, zone, unit, bucket, user_id) DO UPDATE SET hours_of_day = excluded.hours_of_day, ${set}`.execute(
    trx,
  );
}

export async function deleteMonthToDate(trx: Database, groupId: string, zone: string): Promise<void> {
  await createQueryFunction(trx)(`DELETE FROM kept_group_sums WHERE group_id = $1 AND zone = $2 AND unit = 'begun'`, [
    groupId,
    zone,
  ]);
}
