import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** Identifies a key, session, device or gateway by its id, or by the SHA-256 of its secret. */
type MovableName = { secretSha256: Buffer } | { id: string };

/**
 * Returns the result of `find`. If there is none because the account is moving to or from another installation, returns `'moving'`; the
 * caller then gets 503 instead of an error about its key. `find` is called twice, because the move may have ended in between.
 */
export async function findOrReturnMoving<T>(
  db: Database,
  name: MovableName,
  find: () => Promise<T | undefined>,
): Promise<T | 'moving' | undefined> {
  const found = await find();
  if (found !== undefined) return found;
  return (await isMoving(db, name)) ? 'moving' : find();
}

async function isMoving(db: Database, one: MovableName): Promise<boolean> {
  // Raw SQL: during a move, the rows of accounts are stored as JSON.
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
