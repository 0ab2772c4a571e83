import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { type Environment, hashOfKey, newKey, prefixOfKey } from './key-format.ts';
import { SCOPES, type Scope } from './scopes.ts';

/** A key at its creation: the only time that it is shown. */
export interface CreatedKey {
  key_id: string;
  key: string;
  prefix: string;
  scopes: Scope[];
  expires_at: string | null;
}

/** Creates a key of a user, with all scopes where none are named. `key`: a key of the operator's own instead of a new one. */
export async function createKey(
  db: Database,
  options: {
    userId: string;
    environment: Environment;
    name?: string;
    scopes?: Scope[];
    expiresAt?: Date;
    key?: string;
  },
): Promise<CreatedKey> {
  const key = options.key ?? newKey(options.environment);
  const created: CreatedKey = {
    key_id: newId('key'),
    key,
    prefix: prefixOfKey(key),
    scopes: options.scopes ?? [...SCOPES],
    expires_at: options.expiresAt?.toISOString() ?? null,
  };
  await db
    .insertInto('api_keys')
    .values({
      key_id: created.key_id,
      user_id: options.userId,
      key_sha256: hashOfKey(key),
      prefix: created.prefix,
      name: options.name ?? null,
      scopes: created.scopes,
      expires_at: options.expiresAt ?? null,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return created;
}

/** Revokes a key. False where there is none that is still valid. */
export async function revokeKey(db: Database, keyId: string): Promise<boolean> {
  const result = await db
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
