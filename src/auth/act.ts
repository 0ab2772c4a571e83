import { type RawBuilder, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import type { Role } from '#src/users/store.ts';
import { isAllowedFrom } from './allowed-addresses.ts';
import type { Caller, KeyRefusal } from './authenticate.ts';
import { isScope, SCOPES } from './scopes.ts';
import { isOpen } from './sessions.ts';

/**
 * What keeps a caller as it is until the transaction ends. FOR SHARE lets a caller's requests go on beside each other, and
 * makes whoever revokes, demotes or deletes it wait. Two requests that share an account and then both change it would wait
 * for each other: those take it FOR NO KEY UPDATE at once (which foreign keys to it do not wait for).
 */
const HOLDS = { nothing: sql``, share: sql`FOR SHARE`, change: sql`FOR NO KEY UPDATE` };

interface Row {
  role: Role;
  scopes: string[];
  group_id: string | null;
  allowed_addresses: string[];
}

/**
 * Returns the caller as the database has it now, on any process. Throws 401 if its key was revoked or has expired, its session has ended or its
 * account was deleted, and 403 if its key may no longer be used from its address. The account is locked before the key or session, in the same order as
 * by an erasure.
 */
export async function readAnew(
  db: Database,
  { by, keyId, userId, address }: Caller,
  now: Date,
  hold: keyof typeof HOLDS,
): Promise<Caller> {
  const account = sql`WITH account AS MATERIALIZED (SELECT user_id, role FROM users WHERE user_id = ${userId} ${HOLDS[hold]})`;
  const held = (name: string): RawBuilder<unknown> =>
    hold === 'nothing' ? HOLDS[hold] : sql`${HOLDS[hold]} OF ${sql.ref(name)}`;
  // Raw SQL: the hot path of every change: account, then key or session, each held as it is read, in one statement.
  const { rows } =
    by === 'key'
      ? await sql<Row>`${account}
          SELECT role, scopes, k.group_id, allowed_addresses FROM account JOIN api_keys k USING (user_id)
          WHERE k.key_id = ${keyId} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now})
          ${held('k')}`.execute(db)
      : await sql<Row>`${account}
          SELECT role, ${[...SCOPES]}::text[] AS scopes, NULL AS group_id, '{}'::text[] AS allowed_addresses FROM account JOIN sessions USING (user_id)
          WHERE session_id = ${keyId} AND ${isOpen(now)} ${held('sessions')}`.execute(db);
  const [row] = rows;
  if (!row) throw new AppError(by === 'key' ? await refusalOf(db, keyId) : 'unauthorized');
  const { role, scopes, allowed_addresses: allowedAddresses } = row;
  if (address !== undefined && !isAllowedFrom(allowedAddresses)(address)) throw new AppError('addressNotAllowed');
  const anew = { by, keyId, userId, role, scopes: new Set(scopes.filter(isScope)), groupId: row.group_id };
  return address === undefined ? anew : { ...anew, address, allowedAddresses };
}

/**
 * Changes something as a caller: `run` works in a transaction in which the caller was read anew and is held, so that
 * whoever was revoked, demoted or deleted before it changes nothing, and whoever is so meanwhile is when it is over. `named`:
 * identifiers that the request names, its own among them where it may change itself. 401 where the caller is no more.
 */
export async function actAs<T>(
  db: Database,
  caller: Caller,
  { now, named = [] }: { now: Date; named?: readonly unknown[] },
  run: (trx: Database, caller: Caller) => Promise<T>,
): Promise<T> {
  const hold = named.includes(caller.userId) || named.includes(caller.keyId) ? 'change' : 'share';
  return joinOrBeginTransaction(db, async (trx) => {
    return run(trx, await readAnew(trx, caller, now, hold));
  });
}

/** Why a key that no longer holds is refused. */
async function refusalOf(db: Database, keyId: string): Promise<KeyRefusal> {
  const key = await db.selectFrom('api_keys').select('revoked_at').where('key_id', '=', keyId).executeTakeFirst();
  if (!key) return 'unauthorized';
  return key.revoked_at ? 'keyRevoked' : 'keyExpired';
}
