import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Caller, createAuthenticator } from '#src/auth/authenticate.ts';
import { createKey } from '#src/auth/keys.ts';
import { reloadCaller } from '#src/auth/run-as-caller.ts';
import { findSession, openSession } from '#src/auth/sessions.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { authenticateDevice, hashSecret } from '#src/devices/credentials.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

/**
 * At the target of a move, an account is opened in one transaction, which may commit between the statements of a lookup. Even then, no
 * lookup may refuse the account.
 */

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

let home: { userId: string; deviceId: string; password: string; key: string; keyId: string; secret: string };
beforeEach(async () => {
  const { user_id: userId } = await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' });
  const { device, secret: password } = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
  const { key, key_id: keyId } = await createKey(db, { userId, environment: 'live' });
  const { secret } = await openSession(db, userId, new Date());
  home = { userId, deviceId: device.device_id, password, key, keyId, secret };
});

/** Hides the home's rows, as a move does until it opens the account. Returns a function that opens the account in one transaction. */
async function hide(): Promise<() => Promise<void>> {
  const { userId, deviceId, key, keyId, secret } = home;
  const [ofKey, ofSession] = [hashSecret(key), hashSecret(secret)];
  const { rows } = await database.pool.query('SELECT session_id AS id FROM sessions WHERE user_id = $1', [userId]);
  const names = [ofKey, ofSession].map((hash) => hash.toString('hex').toUpperCase());
  const arrival = [
    'INSERT INTO arriving_names (name, user_id) SELECT unnest($2::text[]), $1',
    [userId, [...names, deviceId, keyId, rows[0].id]],
  ] as const;
  const run = (statements: (readonly [text: string, values: readonly unknown[]])[]) =>
    runInTransaction(database.pool, async (client) => {
      for (const [text, values] of statements) await client.query(text, [...values]);
    });
  await run([
    arrival,
    ["UPDATE api_keys SET key_sha256 = sha256(key_sha256), expires_at = 'epoch' WHERE user_id = $1", [userId]],
    ["UPDATE sessions SET secret_sha256 = sha256(secret_sha256), expires_at = 'epoch' WHERE user_id = $1", [userId]],
    ['UPDATE devices SET deleted_at = now() WHERE user_id = $1', [userId]],
  ]);
  return () =>
    run([
      ['DELETE FROM arriving_names WHERE user_id = $1', [userId]],
      ['UPDATE api_keys SET key_sha256 = $2, expires_at = NULL WHERE user_id = $1', [userId, ofKey]],
      ["UPDATE sessions SET secret_sha256 = $2, expires_at = now() + '1 day' WHERE user_id = $1", [userId, ofSession]],
      ['UPDATE devices SET deleted_at = NULL WHERE user_id = $1', [userId]],
    ]);
}

/** Returns a database connection that calls `open` after this number of statements. */
function openingAfter(statements: number, open: () => Promise<void>): Database {
  let done = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++done === statements) await open();
      return result;
    },
  };
  return db.withPlugin(plugin);
}

const callerOf = async (by: 'key' | 'session'): Promise<Caller> => {
  const found =
    by === 'key'
      ? await createAuthenticator(db, 'live')(home.key, '127.0.0.1')
      : await findSession(db, home.secret, new Date());
  if (found === null || typeof found === 'string') throw new Error(`no caller: ${found}`);
  return found;
};

/**
 * Lookups, by description. Each function prepares a lookup and returns it as a function. This function returns whether it found the caller,
 * or throws.
 */
const LOOKUPS: Record<string, () => Promise<(db: Database) => Promise<unknown>>> = {
  'a key': async () => async (db) => {
    const found = await createAuthenticator(db, 'live')(home.key, '127.0.0.1');
    return typeof found === 'string' ? found : true;
  },
  'a session': async () => async (db) => (await findSession(db, home.secret, new Date())) !== null,
  'the caller of a change by key': async () => {
    const caller = await callerOf('key');
    return async (db) => (await reloadCaller(db, caller, new Date(), 'none')) !== null;
  },
  'the caller of a change by session': async () => {
    const caller = await callerOf('session');
    return async (db) => (await reloadCaller(db, caller, new Date(), 'none')) !== null;
  },
  'the login of a device': async () => async (db) =>
    (await authenticateDevice(db, home.deviceId, home.password)) !== null,
};

const outcomeOf = (lookup: Promise<unknown>) => lookup.catch(({ message }: Error) => message);

test.each(Object.entries(LOOKUPS))(
  '%s is found, or must be repeated, at whichever statement the moved account becomes available',
  async (_, prepare) => {
    const lookup = await prepare();
    expect(await outcomeOf(lookup(db))).toBe(true);
    for (const statements of [1, 2, 3]) {
      const open = await hide();
      const outcome = await outcomeOf(lookup(openingAfter(statements, open)));
      expect(
        [true, 'unavailable', 'the account of this login is moving to another installation', 'Service Unavailable'],
        `after ${statements}`,
      ).toContain(outcome);
      if (statements > 2) await open();
      expect(await outcomeOf(lookup(db))).toBe(true);
    }
  },
);
