import { sql } from 'kysely';
import type { Database } from './connect.ts';

/**
 * Whether a secret or an id belongs to an account that is moving to another installation or from one. Then its absence is temporary: the
 * caller must be told to repeat (503), not that its key is wrong. Queried only before a refusal. `secretSha256`: of a key or session; `id`: of a key,
 * session, device or gateway.
 */
export async function isMoving(db: Database, one: { secretSha256: Buffer } | { id: string }): Promise<boolean> {
  // Raw SQL: rows of closed accounts are JSON (users-move/close.ts).
  const hex = 'secretSha256' in one ? one.secretSha256.toString('hex') : '';
  const name = 'id' in one ? one.id : hex.toUpperCase();
  if (name.includes('\0')) return false;
  const stored = `\\x${hex}`;
  const { rows } = await sql<{ isMoving: boolean }>`
    SELECT EXISTS (SELECT FROM arriving_names WHERE name = ${name}) OR EXISTS (
      SELECT FROM parcels WHERE (relation = 'api_keys' AND (row->>'key_sha256' = ${stored} OR row->>'key_id' = ${name}))
        OR (relation = 'sessions' AND (row->>'secret_sha256' = ${stored} OR row->>'session_id' = ${name}))
        OR (relation = 'devices' AND row->>'device_id' = ${name}) OR (relation = 'gateways' AND row->>'gateway_id' = ${name})) AS "isMoving"`.execute(
    db,
  );
  return rows[0]?.isMoving ?? false;
}
