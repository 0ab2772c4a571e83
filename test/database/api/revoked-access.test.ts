import { request } from 'node:https';
import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import { EXAMPLES } from '#src/api/examples.ts';
import { type AnyOperation, addOperation, defineOperation } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { loadAccessibleUser } from '#src/auth/access.ts';
import { createDatabaseRequestCounter } from '#src/auth/database-counter.ts';
import { createKey, revokeKey } from '#src/auth/keys.ts';
import { createCsrfToken, openSession } from '#src/auth/sessions.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDevice, deleteDevice } from '#src/devices/store.ts';
import { eraseUser } from '#src/users/erase.ts';
import { startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';
import { openEventStream } from '#test/support/event-stream.ts';

/** Tests of access that another API process revokes, without notifying the tested process. */
let api: TestApi;
const CHANGING = OPERATIONS.filter(({ method }) => method !== 'GET');
const nameOf = ({ method, path }: AnyOperation) => `${method} ${path}`;

beforeAll(async () => {
  api = await startTestApi({
    beforeListening(app, context) {
      addOperation(app, context, deviceOfTheGone);
      addOperation(app, context, byPieces);
    },
  });
});
afterAll(() => api.close());

/** An operation for this test. Between its access check and its insert, another process deletes the account. */
const deviceOfTheGone = defineOperation('POST /v1/test-gone', {
  summary: 'Of the test.',
  scope: 'devices:write',
  answer: z.unknown(),
  body: z.strictObject({ user_id: z.string() }),
  async handle({ context, caller, body: { user_id } }) {
    await loadAccessibleUser(context.db, caller, user_id);
    await eraseUser(createDatabase(api.database.pool), user_id);
    return createDevice(context.db, { userId: user_id, type: 'smart_meter', location: 'x' });
  },
});
const pieces: number[] = [];
const byPieces = defineOperation('POST /v1/test-pieces', {
  summary: 'Of the test.',
  scope: 'devices:write',
  changes: 'piece by piece',
  answer: z.unknown(),
  async handle({ caller, whileAllowed }) {
    for (let piece = 1; piece <= 3; piece++) {
      await whileAllowed(async () => pieces.push(piece));
      if (piece === 2) await revoke(caller.keyId);
    }
    return {};
  },
});

const sql = (text: string, values: unknown[] = []) => api.database.pool.query(text, values);
const revoke = (keyId: string) => sql('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [keyId]);
/** Returns the number of statements that wait for a lock. Updates of the time at which a key was last used are not counted. */
const waiting = async () =>
  (
    await sql(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
         AND query NOT LIKE '%set "last_used_at"%'`,
    )
  ).rowCount;
const keyIdOf = async (userId: string) =>
  (await sql('SELECT key_id FROM api_keys WHERE user_id = $1', [userId])).rows[0].key_id as string;

/** Creates an account whose key this process has in its cache. */
async function known(role: 'admin' | 'utility' | 'homeowner' = 'admin') {
  const one = await api.user(role);
  expect((await api.send('/v1/devices', { key: one.key })).status).toBe(200);
  return { ...one, keyId: await keyIdOf(one.userId) };
}

async function session(userId: string) {
  const { session_id, secret } = await openSession(api.db, userId, api.now);
  const headers = {
    cookie: `__Secure-energy_session=${secret}`,
    'x-csrf-token': createCsrfToken('the secret of the tests', session_id),
  };
  return { sessionId: session_id, headers };
}

const change = (path: string, key: string, body?: unknown, method = 'POST'): Promise<TestApiResponse> =>
  api.send(path, { method, key, ...(body === undefined ? {} : { body }) });

describe('every operation other than a GET', () => {
  const bodyOf = (one: AnyOperation) =>
    (EXAMPLES as Record<string, { body?: unknown }>)[(one as { name?: string }).name ?? '']?.body;

  const otherScope = ({ scope }: AnyOperation) =>
    [scope].flat().includes('devices:read') ? 'insights:read' : 'devices:read';

  test.each(CHANGING.map((one) => [nameOf(one), one] as const))('%s is refused at once', async (_name, one) => {
    const body = bodyOf(one);
    const ends: [string, string, (who: { userId: string; keyId: string }) => Promise<unknown>][] = [
      ['revoked', 'key_revoked', ({ keyId }) => revoke(keyId)],
      [
        'expired',
        'key_expired',
        ({ keyId }) => sql('UPDATE api_keys SET expires_at = $2 WHERE key_id = $1', [keyId, api.now]),
      ],
      ['deleted', 'unauthorized', ({ userId }) => eraseUser(api.db, userId)],
      [
        'narrowed',
        'forbidden',
        ({ keyId }) => sql('UPDATE api_keys SET scopes = $2 WHERE key_id = $1', [keyId, [otherScope(one)]]),
      ],
      [
        'limited',
        'address_not_allowed',
        ({ keyId }) => sql(`UPDATE api_keys SET allowed_addresses = '{192.0.2.0/24}' WHERE key_id = $1`, [keyId]),
      ],
    ];
    // All ways to end access lead to the same check of the caller. Each operation is therefore tested with only a few of these ways.
    const turn = 1 + (CHANGING.indexOf(one) % (ends.length - 1));
    for (const [how, code, end] of ends.filter((_, at) => at === 0 || at === turn || one.changes !== undefined)) {
      const who = await known();
      await end(who);
      const path = one.path.replaceAll(/\{\w+\}/g, who.userId);
      expect([how, (await change(path, who.key, body, one.method)).json.code]).toEqual([how, code]);
    }
  });

  test.each(
    [...CHANGING, ...DASHBOARD_OPERATIONS.filter(({ method }) => method !== 'GET')].map(
      (one) => [nameOf(one), one] as const,
    ),
  )('%s is refused at once for an ended session', async (_name, one) => {
    const { userId } = await api.user('admin');
    const { sessionId, headers } = await session(userId);
    const path = `/dashboard${one.path.replaceAll(/\{\w+\}/g, userId)}`;
    await sql('DELETE FROM sessions WHERE session_id = $1', [sessionId]);
    const body = bodyOf(one);
    const sent = { method: one.method, headers, ...(body === undefined ? {} : { body }) };
    expect((await api.send(path, sent)).status).toBe(401);
  });

  test('runs its changes in one transaction, unless it declares otherwise', () => {
    const others = [...OPERATIONS, ...DASHBOARD_OPERATIONS].filter(({ changes }) => changes !== undefined);
    expect(others.map((one) => `${one.changes}: ${nameOf(one)}`)).toEqual([
      'nothing: POST /v1/energy-insights',
      'nothing: POST /v1/alerts/preview',
      'piece by piece: POST /v1/devices/{device_id}/readings',
      'nothing: POST /v1/gateways/{gateway_id}/decode',
      'nothing: POST /v1/tariffs/compare',
      'nothing: POST /v1/what-if',
      'nothing: POST /v1/import-check',
      'piece by piece: POST /v1/rejected/replay',
      'nothing: POST /v1/rollups/check',
    ]);
  });
});

test('a demoted administrator cannot create or delete accounts, or create keys for other accounts', async () => {
  const [admin, other] = [await known(), await api.user('homeowner')];
  await sql(`UPDATE users SET role = 'homeowner' WHERE user_id = $1`, [admin.userId]);
  const made = await change('/v1/users', admin.key, { email: 'by-a-demoted@example.com', role: 'admin' });
  const deleted = await change(`/v1/users/${other.userId}`, admin.key, undefined, 'DELETE');
  const key = await change('/v1/keys', admin.key, { user_id: other.userId });
  expect([made.status, deleted.status, key.status]).toEqual([403, 403, 403]);
  expect((await api.send(`/v1/users/${other.userId}`, { key: other.key })).status).toBe(200);
});

test('an answer to a key that was later revoked is not repeated for it', async () => {
  const who = await known();
  const again = () =>
    api.send('/v1/keys', { method: 'POST', key: who.key, body: {}, headers: { 'idempotency-key': 'mine' } });
  expect((await again()).status).toBe(201);
  await revoke(who.keyId);
  expect((await again()).status).toBe(401);
});

test('a change waits for a running revocation, and is refused once the revocation commits', async () => {
  const who = await known();
  const other = await api.database.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [who.keyId]);
    const made = change('/v1/gateways', who.key, { name: 'late' });
    await expect.poll(waiting).toBe(1);
    await other.query('COMMIT');
    expect((await made).status).toBe(401);

    const { sessionId, headers } = await session(who.userId);
    await other.query('BEGIN');
    await other.query('DELETE FROM sessions WHERE session_id = $1', [sessionId]);
    const late = api.send('/dashboard/v1/gateways', { method: 'POST', headers, body: { name: 'late' } });
    await expect.poll(waiting).toBe(1);
    await other.query('COMMIT');
    expect((await late).status).toBe(401);
  } finally {
    other.release();
  }
  expect((await sql('SELECT FROM gateways WHERE user_id = $1', [who.userId])).rowCount).toBe(0);
});

test('a revocation, a demotion and a deletion wait for a running change', async () => {
  for (const end of [
    (who: { userId: string; keyId: string }) => revoke(who.keyId),
    (who: { userId: string }) => sql(`UPDATE users SET role = 'homeowner' WHERE user_id = $1`, [who.userId]),
    (who: { userId: string }) => eraseUser(api.db, who.userId),
  ]) {
    const who = await known();
    const other = await api.database.pool.connect();
    const { json } = await change('/v1/gateways', who.key, { name: 'x' });
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM gateways WHERE gateway_id = $1 FOR UPDATE', [json.gateway_id]);
      const changed = change(`/v1/gateways/${json.gateway_id}`, who.key, { name: 'y' }, 'PATCH');
      await expect.poll(waiting).toBe(1);
      const ended = end(who);
      await expect.poll(waiting).toBe(2);
      await other.query('COMMIT');
      expect((await changed).status).toBe(200);
      await ended;
      expect([401, 403]).toContain(
        (await change('/v1/users', who.key, { email: 'n@example.com', role: 'utility' })).status,
      );
    } finally {
      other.release();
    }
  }
});

describe('readings that are sent over HTTPS', () => {
  type Who = Awaited<ReturnType<typeof sender>>;
  /** Statements that lock the rows which change when an access ends. */
  const LOCKS = {
    key: ({ key }: Who) => [`SELECT FROM api_keys WHERE key_id = '${key.key_id}' FOR UPDATE`],
    account: ({ owner }: Who) => [`SELECT FROM users WHERE user_id = '${owner.userId}' FOR UPDATE`],
    device: ({ deviceId }: Who) =>
      ['devices', 'device_heads'].map((name) => `SELECT FROM ${name} WHERE device_id = '${deviceId}' FOR UPDATE`),
  };
  /** Ways in which a sender loses access: description, lock (in LOCKS), expected status of the sender's request, and a function. */
  const ENDS: [string, keyof typeof LOCKS, number, (trx: Database, who: Who) => Promise<unknown>][] = [
    ['its key is revoked', 'key', 401, (trx, { key }) => revokeKey(trx, ALL_ACCOUNTS, key.key_id)],
    ['its account is erased', 'account', 401, (trx, { owner }) => eraseUser(trx, owner.userId)],
    [
      'its account is demoted',
      'account',
      404,
      (trx, { owner }) =>
        trx.updateTable('users').set({ role: 'homeowner' }).where('user_id', '=', owner.userId).execute(),
    ],
    ['the home is erased', 'device', 404, (trx, { home }) => eraseUser(trx, home.userId)],
    ['the device ends', 'device', 404, (trx, { deviceId }) => deleteDevice(trx, ALL_ACCOUNTS, deviceId)],
  ];

  /** Creates a utility and a key of it that may send readings of a home's device. */
  async function sender() {
    const owner = await api.user('utility');
    const home = await api.user('homeowner', { enrolledBy: owner.userId });
    const key = await createKey(api.db, { userId: owner.userId, environment: 'live', scopes: ['readings:write'] });
    const { device } = await createDevice(api.db, { userId: home.userId, type: 'smart_meter', location: 'x' });
    const deviceId = device.device_id;
    const send = (minutes: number, ...others: object[]) =>
      change(`/v1/devices/${deviceId}/readings`, key.key, [
        { ts: api.now.getTime() - 3_600_000 + minutes * 60_000, energy_total_kwh: 100 + minutes / 60 },
        ...others,
      ]);
    const storedRows = async () => {
      const { rows } = await sql(
        `SELECT (SELECT count(*) FROM readings JOIN series USING (series_id) WHERE device_id = $1)::int AS readings,
           (SELECT count(*) FROM rejected_messages WHERE device_id = $1)::int AS rejected,
           (SELECT count(*) FROM series WHERE device_id = $1)::int AS series`,
        [deviceId],
      );
      return rows[0];
    };
    return { owner, home, key, deviceId, send, storedRows };
  }

  test.each(ENDS)('are not stored if %s before they are committed', async (_how, locked, status, end) => {
    // In the first case, the first readings of a device and an invalid element are written under locks. In the second case, readings of a
    // cached device are written without locks. In neither case may they be stored as rejections.
    for (const { sentBefore, others } of [
      { sentBefore: 0, others: [{ ts: 'yesterday' }] },
      { sentBefore: 3, others: [] },
    ]) {
      const who = await sender();
      for (let minutes = 1; minutes <= sentBefore; minutes++) expect((await who.send(minutes)).status).toBe(201);
      const before = await who.storedRows();
      const trx = await api.db.startTransaction().execute();
      for (const text of LOCKS[locked](who)) await trx.executeQuery(CompiledQuery.raw(text));
      const sent = who.send(10, ...others);
      await expect.poll(waiting).toBe(1);
      await end(trx, who);
      await trx.commit().execute();
      expect((await sent).status).toBe(status);
      const isErased = (await sql('SELECT FROM devices WHERE device_id = $1', [who.deviceId])).rowCount === 0;
      expect(await who.storedRows()).toEqual(isErased ? { readings: 0, rejected: 0, series: 0 } : before);
    }
  });

  test.each(ENDS)('are stored if %s afterwards, which waits for them', async (_how, _locked, status, end) => {
    const who = await sender();
    expect((await who.send(1)).status).toBe(201);
    const trx = await api.db.startTransaction().execute();
    for (const text of LOCKS.device(who)) await trx.executeQuery(CompiledQuery.raw(text));
    const sent = who.send(2);
    await expect.poll(waiting).toBe(1);
    const ended = api.db.transaction().execute((own) => end(own, who));
    await expect.poll(waiting).toBe(2);
    await trx.commit().execute();
    expect((await sent).json).toMatchObject({ stored: 1 });
    await ended;
    expect((await who.send(3)).status).toBe(status);
  });
});

test('many concurrent changes of an account to itself do not block each other', async () => {
  const who = await known('homeowner');
  const fromMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      change(`/v1/users/${who.userId}`, who.key, { phone: `+4915112345${100 + index}` }, 'PATCH'),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const keys = await Promise.all(Array.from({ length: 10 }, () => change(`/v1/keys/${who.keyId}/rotate`, who.key, {})));
  expect(new Set(keys.map(({ status }) => status))).toEqual(new Set([201]));
  // PostgreSQL looks for a deadlock only after a second.
  const { rows } = await sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
  expect([rows[0].deadlocks, performance.now() - fromMs < 20_000]).toEqual([0, true]);
});

test('a change in chunks stops at the chunk during which its key is revoked', async () => {
  const who = await known();
  expect((await change('/v1/test-pieces', who.key, undefined)).status).toBe(401);
  expect(pieces).toEqual([1, 2]);
});

test('a reference to an account that was deleted meanwhile is 404', async () => {
  const [who, gone] = [await known(), await api.user('homeowner')];
  expect((await change('/v1/test-gone', who.key, { user_id: gone.userId })).status).toBe(404);
});

test('an account that is suspended while its request’s body arrives changes nothing', async () => {
  const who = await known();
  const options = {
    host: '127.0.0.1',
    port: api.port,
    path: '/v1/gateways',
    method: 'POST',
    rejectUnauthorized: false,
  };
  const headers = { authorization: `Bearer ${who.key}`, 'content-type': 'application/json', 'content-length': 12 };
  const status = await new Promise((resolve, reject) => {
    const slow = request({ ...options, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    slow.on('error', reject);
    slow.write('{"name"');
    setTimeout(async () => {
      // Meanwhile, another process counts a thousand refused requests of the account.
      const one = { minute: 1, day: 1_000_000 };
      const elsewhere = createDatabaseRequestCounter(
        api.db,
        { free: one, developer: one, enterprise: one },
        () => api.now,
      );
      await Promise.all(Array.from({ length: 1_001 }, () => elsewhere.take(who.userId)));
      slow.end(':"x"}');
    }, 300);
  });
  expect(status).toBe(429);
  expect((await sql('SELECT FROM gateways WHERE user_id = $1', [who.userId])).rowCount).toBe(0);
});

test('reads end within ten seconds', async () => {
  const who = await known();
  await revoke(who.keyId);
  await expect
    .poll(async () => (await api.send('/v1/devices', { key: who.key })).status, { timeout: 10_000 })
    .toBe(401);
});

test('a session that another process ended, or whose role changed, gets no more readings', async () => {
  for (const end of [
    (sessionId: string) => sql('DELETE FROM sessions WHERE session_id = $1', [sessionId]),
    (sessionId: string) =>
      sql(`UPDATE users SET role = 'homeowner' FROM sessions s WHERE s.session_id = $1 AND s.user_id = users.user_id`, [
        sessionId,
      ]),
  ]) {
    const { userId } = await known();
    const { sessionId, headers } = await session(userId);
    const listening = await openEventStream(api.port, '/dashboard/v1/changes', { cookie: headers.cookie });
    expect(listening.status).toBe(200);
    await end(sessionId);
    await expect.poll(listening.isOver).toBe(true);
  }
});

test('a key that expires at once is refused', async () => {
  const { userId } = await known();
  const { key } = await createKey(api.db, { userId, environment: 'live', expiresAt: new Date(api.now.getTime() + 1) });
  api.now = new Date(api.now.getTime() + 1);
  expect((await change('/v1/gateways', key, { name: 'x' })).status).toBe(401);
});
