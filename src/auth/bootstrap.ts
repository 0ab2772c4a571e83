import type { Environment } from '#src/core/environment.ts';
import type { Database } from '#src/database/connect.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { createUser } from '#src/users/store.ts';
import { hashOfKey } from './key-format.ts';
import { createKey } from './keys.ts';

/** E-mail address of the first administrator. */
export const ADMIN = 'admin@localhost';

/**
 * Makes sure that there is an administrator with a key. Returns the key where one was generated (to be shown once), and
 * null where the administrator has one already or the operator gave it (`givenKey`).
 */
export async function ensureBootstrapAdmin(
  db: Database,
  options: { environment: Environment; givenKey?: string | undefined },
): Promise<string | null> {
  // Another process may be at it: the second try finds what the first one lost to.
  return ensureOnce(db, options).catch(() => ensureOnce(db, options));
}

async function ensureOnce(
  db: Database,
  { environment, givenKey }: { environment: Environment; givenKey?: string | undefined },
): Promise<string | null> {
  const existing = await db.selectFrom('users').select('user_id').where('email', '=', ADMIN).executeTakeFirst();
  const userId =
    existing?.user_id ?? (await createUser(db, { email: ADMIN, role: 'admin', plan: 'enterprise' })).user_id;
  if (givenKey !== undefined) {
    const known = await db
      .selectFrom('api_keys')
      .select('key_id')
      .where('key_sha256', '=', hashOfKey(givenKey))
      .executeTakeFirst();
    if (!known) await makeKey(db, { userId, environment, name: 'bootstrap', key: givenKey });
    return null;
  }
  const any = await db.selectFrom('api_keys').select('key_id').where('user_id', '=', userId).executeTakeFirst();
  if (any) return null;
  return (await makeKey(db, { userId, environment, name: 'bootstrap' })).key;
}

/** The operator's doing: the first start, or the variable that was set. */
const makeKey = (db: Database, wanted: Parameters<typeof createKey>[1]) =>
  runAsOperator(
    db,
    'key.created',
    (trx) => createKey(trx, wanted),
    ({ key_id }) => key_id,
  );
