import type { Environment } from '#src/core/environment.ts';
import { hasKeyForm } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import type { ManagedBy } from '#src/database/enums.ts';
import type { Role } from '#src/users/store.ts';
import { isAllowedFrom } from './allowed-addresses.ts';
import { hashOfKey } from './key-format.ts';
import { isScope, type Scope } from './scopes.ts';

/** The device to which a key is limited, and who made the key: a homeowner, or a utility or administrator. */
export interface DeviceOfKey {
  id: string;
  madeBy: ManagedBy;
}

/** Returns the member of a caller for the columns of its key. */
export const deviceOfKey = (row: { device_id: string | null; made_by: ManagedBy | null }): Pick<Caller, 'device'> =>
  row.device_id === null ? {} : { device: { id: row.device_id, madeBy: row.made_by ?? 'owner' } };

/** The authenticated caller: the owner of a key or session, with its permissions. */
export interface Caller {
  by: 'key' | 'session';
  /** The key_id or session_id. */
  keyId: string;
  userId: string;
  role: Role;
  scopes: ReadonlySet<Scope>;
  /** The group to whose homes the key is limited; null if it has no such limit. */
  groupId: string | null;
  /** The device to which the key is limited. */
  device?: DeviceOfKey;
  /** For a key: the address of the request, and the key's allowed addresses (allowed-addresses.ts). */
  address?: string;
  allowedAddresses?: readonly string[];
}

/**
 * Cache lifetime of authenticated callers, for reads: every process must refuse a revoked key within 10 s. Changes reload the caller from
 * the database (run-as-caller.ts).
 */
const REMEMBERED_MS = 5_000;
const MAX_REMEMBERED = 10_000;
/** Minimum time between two updates of `last_used_at`. */
const USED_EVERY_MS = 60_000;

/** Why a key is refused, as an error of the catalogue. */
export type KeyRefusal = 'unauthorized' | 'keyRevoked' | 'keyExpired' | 'addressNotAllowed';

/** Returns the caller who presents a key from an address, or why the key is refused. */
export type Authenticate = (presented: string, address: string) => Promise<Caller | KeyRefusal>;

/** Creates the check of presented keys. */
export function createAuthenticate(db: Database, environment: Environment, now = Date.now): Authenticate {
  const remembered = new Map<string, Found & { untilMs: number }>();
  const from = ({ caller, isAllowed }: Found, address: string) =>
    isAllowed(address) ? { ...caller, address } : 'addressNotAllowed';
  return async (presented, address) => {
    if (!hasKeyForm(presented, environment)) return 'unauthorized';
    const hash = hashOfKey(presented);
    const name = hash.toString('base64');
    const known = remembered.get(name);
    // By the monotonic clock: if the wall clock is set back, a revoked key must not be accepted for as long as the step.
    if (known && known.untilMs > performance.now())
      return known.expiresAtMs > now() ? from(known, address) : 'keyExpired';
    remembered.delete(name);
    // Taken before the query, because the result is as old as its start.
    const askedMs = performance.now();
    const found = await findCaller(db, hash, now());
    if (typeof found === 'string') return found;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(name, { ...found, untilMs: askedMs + REMEMBERED_MS });
    return from(found, address);
  };
}

interface Found {
  caller: Caller;
  expiresAtMs: number;
  isAllowed(address: string): boolean;
}

async function findCaller(db: Database, hash: Buffer, nowMs: number): Promise<Found | KeyRefusal> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.user_id', 'api_keys.user_id')
    .select([
      'key_id',
      'users.user_id',
      'role',
      'scopes',
      'expires_at',
      'revoked_at',
      'last_used_at',
      'group_id',
      'device_id',
      'made_by',
      'allowed_addresses',
    ])
    .where('key_sha256', '=', hash)
    .executeTakeFirst();
  if (!row) return 'unauthorized';
  if (row.revoked_at) return 'keyRevoked';
  const expiresAtMs = row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
  if (expiresAtMs <= nowMs) return 'keyExpired';
  if (Math.abs(nowMs - (row.last_used_at?.getTime() ?? 0)) > USED_EVERY_MS) {
    // Not awaited, and errors are ignored: a database that is closed for writing still serves reads.
    void db
      .updateTable('api_keys')
      .set({ last_used_at: new Date(nowMs) })
      .where('key_id', '=', row.key_id)
      .execute()
      .catch(() => {});
  }
  const caller: Caller = {
    by: 'key',
    keyId: row.key_id,
    userId: row.user_id,
    role: row.role,
    scopes: new Set(row.scopes.filter(isScope)),
    groupId: row.group_id,
    ...deviceOfKey(row),
    allowedAddresses: row.allowed_addresses,
  };
  return { caller, expiresAtMs, isAllowed: isAllowedFrom(row.allowed_addresses) };
}
