import { parseCell } from '#src/core/cell.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';

/** A name by which routers find the cell (installation) of an account. */
export interface AccountRoutingName {
  name: string;
  userId: string;
  /**
   * Cell in the name, such as `c2` in `usr_c2_…`. Null: a name without a cell, which belongs to the first cell. Undefined: the cell is
   * unknown, because only the hash of a session's secret is stored.
   */
  madeBy: string | null | undefined;
}

/** Redirects callers and devices of moving accounts to one of the two installations. */
export interface AccountRedirector {
  toTarget(names: readonly AccountRoutingName[]): Promise<void>;
  toSource(names: readonly AccountRoutingName[]): Promise<void>;
}

/** Number of characters in a generated key that are secret and not stored. */
const UNSTORED = 38;

/** Returns the names by which routers find accounts, open or closed. */
export async function readAccountRoutingNames(
  source: Pool | PoolClient,
  userIds: readonly string[],
): Promise<AccountRoutingName[]> {
  // Raw SQL: rows of closed accounts are stored as JSON.
  const { rows } = await source.query(
    `WITH row AS (
       SELECT 'users' AS relation, to_jsonb(t) AS row FROM users t WHERE user_id = ANY ($1)
       UNION ALL SELECT 'devices', to_jsonb(t) FROM devices t WHERE user_id = ANY ($1)
       UNION ALL SELECT 'gateways', to_jsonb(t) FROM gateways t WHERE user_id = ANY ($1)
       UNION ALL SELECT 'api_keys', to_jsonb(t) FROM api_keys t WHERE user_id = ANY ($1) AND member_id IS NULL
       UNION ALL SELECT 'sessions', to_jsonb(t) FROM sessions t WHERE user_id = ANY ($1)
       UNION ALL SELECT relation, row FROM parcels
         WHERE relation IN ('users', 'devices', 'gateways', 'api_keys', 'sessions') AND row->>'user_id' = ANY ($1))
     SELECT row->>'user_id' AS user_id, row->>'prefix' AS prefix, CASE relation
         WHEN 'users' THEN row->>'user_id' WHEN 'devices' THEN row->>'device_id' WHEN 'gateways' THEN row->>'gateway_id'
         WHEN 'api_keys' THEN upper(substr(row->>'key_sha256', 3)) ELSE upper(substr(row->>'secret_sha256', 3)) END AS name, relation
     FROM row WHERE row->>'deleted_at' IS NULL AND row->>'revoked_at' IS NULL ORDER BY name`,
    [userIds],
  );
  return rows.map(({ user_id: userId, name, prefix, relation }) => {
    if (relation === 'sessions') return { name, userId, madeBy: undefined };
    return { name, userId, madeBy: parseCell(relation === 'api_keys' ? `${prefix}${'0'.repeat(UNSTORED)}` : name) };
  });
}

/** Records names of accounts at the target, which then answers 503 to requests with them until the accounts are opened. */
export async function recordExpectedRoutingNames(target: Pool, names: readonly AccountRoutingName[]): Promise<void> {
  await target.query(
    'INSERT INTO arriving_names (name, user_id) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT (name) DO NOTHING',
    [names.map(({ name }) => name), names.map(({ userId }) => userId)],
  );
}

/** Removes the recorded names of accounts at the target. */
export async function removeExpectedRoutingNames(target: Pool | PoolClient, userIds: readonly string[]): Promise<void> {
  await target.query('DELETE FROM arriving_names WHERE user_id = ANY ($1)', [userIds]);
}
