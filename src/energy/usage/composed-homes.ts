import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';

/**
 * SQL condition: the usage of a user's home is not the sum of its imports, for example because a device produces or stores. If the role of
 * a series has changed, the condition may be true for a home whose usage is the sum. An index serves each part of the condition.
 */
export function isComposedHomeSql(userId: RawBuilder<unknown>): RawBuilder<boolean> {
  const energy = (
    placement: Placement,
  ) => sql`EXISTS (SELECT FROM devices d WHERE d.user_id = ${userId} AND d.placement = ${sql.lit(placement)}
    AND EXISTS (SELECT FROM series s WHERE s.device_id = d.device_id AND (s.counts_import OR s.counts_export OR s.earlier_roles IS NOT NULL)))`;
  return sql`(EXISTS (SELECT FROM devices d WHERE d.user_id = ${userId}
      AND (d.placement IN ('production', 'storage', 'excluded') OR d.upstream_device_id IS NOT NULL OR d.channels @? '$.*.placement'))
    OR ${energy('grid')} AND ${energy('consumption')})`;
}

/** Returns the users whose home's usage is not the sum of its imports. */
export async function filterUsersWithComposedHomes(
  db: Database,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  // Raw SQL: checks a list of users in one statement.
  const { rows } = await sql<{ user_id: string }>`
    SELECT u.user_id FROM unnest(${userIds}::text[]) u (user_id) WHERE ${isComposedHomeSql(sql`u.user_id`)}`.execute(
    db,
  );
  return new Set(rows.map(({ user_id }) => user_id));
}
