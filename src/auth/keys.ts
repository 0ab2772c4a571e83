import type { Selectable } from 'kysely';
import { defined } from '#src/core/defined.ts';
import type { Environment } from '#src/core/environment.ts';
import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { type Reach, within } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { hashOfKey, newKey, prefixOfKey } from './key-format.ts';
import { isScope, SCOPES, type Scope } from './scopes.ts';

/** A key at its creation: the only time that it is shown. */
export interface CreatedKey {
  key_id: string;
  key: string;
  prefix: string;
  scopes: Scope[];
  expires_at: Date | null;
  /** The group that it is limited to. */
  group_id?: string;
}

/** Creates a key of a user, with all scopes where none are named. `groupId`: the group that it is limited to. `key`: a key of the operator's own instead of a new one. */
export async function createKey(
  db: Database,
  options: {
    userId: string;
    environment: Environment;
    name?: string;
    scopes?: Scope[];
    expiresAt?: Date;
    key?: string;
    groupId?: string;
  },
): Promise<CreatedKey> {
  const key = options.key ?? newKey(options.environment);
  const created: CreatedKey = {
    key_id: newId('key'),
    key,
    prefix: prefixOfKey(key),
    scopes: options.scopes ?? [...SCOPES],
    expires_at: options.expiresAt ?? null,
    ...defined({ group_id: options.groupId }),
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
      group_id: created.group_id ?? null,
      expires_at: created.expires_at,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return created;
}

const COLUMNS = ['key_id', 'name', 'prefix', 'scopes', 'group_id', 'created_at', 'last_used_at', 'expires_at'] as const;

/** What of a key can be known again. */
export type Key = Pick<Selectable<Tables['api_keys']>, (typeof COLUMNS)[number]>;

/** Keys of one account that are not revoked, in order of their ids, after `cursor`; at most `limit`. */
export async function listKeys(
  db: Database,
  reach: Reach,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Key[]> {
  return db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where(within(reach, 'api_keys.user_id'))
    .where('revoked_at', 'is', null)
    .where('key_id', '>', page.cursor ?? '')
    .orderBy('key_id')
    .limit(page.limit)
    .execute();
}

/** One key within the reach, with whose it is; null where there is none that is not revoked. */
export async function describeKey(
  db: Database,
  reach: Reach,
  keyId: string,
): Promise<(Key & { user_id: string }) | null> {
  const row = await db
    .selectFrom('api_keys')
    .select([...COLUMNS, 'user_id'])
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where(within(reach, 'api_keys.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/** Revokes a key within the reach. False where there is none that is still valid. */
export async function revokeKey(db: Database, reach: Reach, keyId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where(within(reach, 'api_keys.user_id'))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whose a key within the reach is, and what it may do; null where there is none that is still valid. */
export async function findKey(
  db: Database,
  reach: Reach,
  keyId: string,
): Promise<{ userId: string; scopes: Scope[] } | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(['user_id', 'scopes'])
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where(within(reach, 'api_keys.user_id'))
    .executeTakeFirst();
  return row ? { userId: row.user_id, scopes: row.scopes.filter(isScope) } : null;
}

/** How long a rotated key goes on, unless it is said otherwise. */
const OVERLAP_MS = 24 * 3_600_000;

/**
 * Makes a new key with the name, the scopes and the group of an old one, which goes on until `overlapMs` from now (or until it ends
 * anyway). Null where there is no such key within the reach, or it is over.
 */
export async function rotateKey(
  db: Database,
  reach: Reach,
  keyId: string,
  { environment, now, overlapMs = OVERLAP_MS }: { environment: Environment; now: Date; overlapMs?: number },
): Promise<{ created: CreatedKey; oldExpiresAt: Date } | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const old = await trx
      .selectFrom('api_keys')
      .select(['user_id', 'name', 'scopes', 'group_id', 'expires_at'])
      .where('key_id', '=', keyId)
      .where('revoked_at', 'is', null)
      .where(within(reach, 'api_keys.user_id'))
      .forUpdate()
      .executeTakeFirst();
    if (!old || (old.expires_at && old.expires_at <= now)) return null;
    const overlapEnds = new Date(now.getTime() + overlapMs);
    const oldExpiresAt = old.expires_at && old.expires_at < overlapEnds ? old.expires_at : overlapEnds;
    await trx.updateTable('api_keys').set({ expires_at: oldExpiresAt }).where('key_id', '=', keyId).execute();
    const created = await createKey(trx, {
      userId: old.user_id,
      environment,
      scopes: old.scopes.filter(isScope),
      ...defined({ name: old.name ?? undefined, groupId: old.group_id ?? undefined }),
    });
    return { created, oldExpiresAt };
  });
}
