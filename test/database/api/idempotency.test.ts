import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let admin: { userId: string; key: string };
let other: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  admin = await api.user('admin');
  other = await api.user('admin');
});
afterAll(() => api.close());

let made = 0;
const post = (path: string, body: unknown, idempotencyKey: string, key = admin.key) =>
  api.send(path, { method: 'POST', key, body, headers: { 'idempotency-key': idempotencyKey } });
const device = () => ({ type: 'smart_meter', location: `number ${++made}` });

test('a repeated request gets the first answer, including secrets, and changes nothing', async () => {
  const body = device();
  const first = await post('/v1/devices', body, 'one');
  const again = await post('/v1/devices', body, 'one');
  expect(first.status).toBe(201);
  expect({ status: again.status, json: again.json }).toEqual({ status: 201, json: first.json });
  expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
  expect((await api.send('/v1/devices', { key: admin.key })).json).toHaveLength(1);
  const { rows } = await api.database.pool.query('SELECT body_sealed FROM idempotent_answers');
  expect(rows.some((row) => row.body_sealed.includes(first.json.mqtt.password))).toBe(false);
});

test('one of many concurrent repetitions runs; the others get its answer, or an error that it is still running', async () => {
  const body = device();
  const answers = await Promise.all(Array.from({ length: 12 }, () => post('/v1/devices', body, 'many')));
  const ids = new Set(answers.filter(({ status }) => status === 201).map(({ json }) => json.device_id));
  expect(ids.size).toBe(1);
  expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  expect((await post('/v1/devices', body, 'many')).json.device_id).toBe([...ids][0]);
});

test('a different body or path with the same key gets 409; equal keys of two accounts are independent', async () => {
  const body = device();
  const first = await post('/v1/devices', body, 'three');
  expect((await post('/v1/devices', device(), 'three')).status).toBe(409);
  expect((await post('/v1/gateways', { name: 'x' }, 'three')).status).toBe(409);
  const elsewhere = await post('/v1/devices', body, 'three', other.key);
  expect(elsewhere.status).toBe(201);
  expect(elsewhere.json.device_id).not.toBe(first.json.device_id);
});

test('an answer is repeated only for the key that received it, not for other keys of the account', async () => {
  const { userId, key } = await api.user('homeowner');
  const { key: narrow } = await createKey(api.db, { userId, environment: 'live', scopes: ['keys:write'] });
  const first = await post('/v1/keys', {}, 'eight', key);
  expect(first.status).toBe(201);
  const other = await post('/v1/keys', {}, 'eight', narrow);
  expect([other.status, other.text.includes(first.json.key)]).toEqual([403, false]);
  const own = await post('/v1/keys', { scopes: ['keys:write'] }, 'eight', narrow);
  expect([own.status, own.json.key === first.json.key]).toEqual([201, false]);
  expect((await post('/v1/keys', {}, 'eight', key)).json).toEqual(first.json);
});

test('a failed request is not stored, and may be repeated', async () => {
  expect((await post('/v1/users', { email: 'nobody', role: 'homeowner' }, 'four')).status).toBe(422);
  await api.send('/v1/users', {
    method: 'POST',
    key: admin.key,
    body: { email: 'taken@example.com', role: 'homeowner' },
  });
  expect((await post('/v1/users', { email: 'taken@example.com', role: 'homeowner' }, 'four')).status).toBe(409);
  expect((await post('/v1/users', { email: 'free@example.com', role: 'homeowner' }, 'four')).status).toBe(201);
});

test('different requests at once with one key: one runs, also without a transaction', async () => {
  const bodies = ['2026-01-01', '2026-01-02'].map((day) => ({ start: day, end: day, metrics: ['kwh_used'] }));
  const ask = (index: number) => post('/v1/energy-insights', bodies[index % 2], 'at-once');
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(index)));
  const served = answers.flatMap(({ status }, index) => (status === 200 ? [index % 2] : []));
  expect(new Set(served).size).toBe(1);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  const [mine = 0] = served;
  expect([(await ask(mine)).status, (await ask(mine + 1)).json.code]).toEqual([200, 'idempotency_key_reused']);
});

test('a request without a transaction that failed, or whose process died, may be repeated', async () => {
  const body = { start: '2026-01-01', end: '2026-01-01', metrics: ['kwh_used'] };
  expect((await post('/v1/energy-insights', { ...body, user_id: 'usr_none' }, 'failed-once')).status).toBe(404);
  expect((await post('/v1/energy-insights', body, 'failed-once')).status).toBe(200);
  const age = (by: string) =>
    api.database.pool.query(
      `UPDATE idempotent_answers SET status = 0, created_at = now() - $1::interval WHERE idempotency_key = 'failed-once'`,
      [by],
    );
  await age('1 minute');
  expect((await post('/v1/energy-insights', body, 'failed-once')).json.code).toBe('idempotency_under_way');
  await age('3 minutes');
  expect((await post('/v1/energy-insights', body, 'failed-once')).status).toBe(200);
});

test('answers are deleted after a day', async () => {
  const first = await post('/v1/devices', device(), 'five');
  await api.database.pool.query(
    "UPDATE idempotent_answers SET created_at = now() - interval '25 hours' WHERE idempotency_key = 'five'",
  );
  expect((await post('/v1/devices', device(), 'five')).json.device_id).not.toBe(first.json.device_id);
});

test('while the request runs, the same key gets 409; an aborted request has changed nothing', async () => {
  const blocker = await api.database.pool.connect();
  try {
    // This lock blocks the insertion of devices. While a request waits for the lock, it holds its idempotency key.
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE devices IN SHARE MODE');
    const body = device();
    const first = post('/v1/devices', body, 'six');
    const waits = () =>
      blocker.query("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()");
    await expect.poll(async () => (await waits()).rowCount).toBe(1);
    expect((await post('/v1/devices', body, 'six')).status).toBe(409);
    // Waits until PostgreSQL has ended the session, because the client notices the end earlier.
    await blocker.query('SELECT pg_terminate_backend($1, 30000)', [(await waits()).rows[0].pid]);
    expect((await first).status).toBe(503);
    await blocker.query('COMMIT');
    const again = await post('/v1/devices', body, 'six');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
  } finally {
    blocker.release();
  }
});

test('a POST that only reads can be repeated, too', async () => {
  const [first, again] = [
    await post('/v1/energy-insights', { interval: 'day' }, 'seven'),
    await post('/v1/energy-insights', { interval: 'day' }, 'seven'),
  ];
  expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
  expect((await post('/v1/energy-insights', { interval: 'month' }, 'seven')).status).toBe(409);
});

test('bodies that differ only in the order of members are equal; other values are a different body', async () => {
  const alert = { threshold_kwh: 5, type: 'daily_usage', delivery: 'email' };
  const send = (body: object) => post('/v1/alerts', body, 'eight');
  const first = await send(alert);
  const again = await send({ delivery: 'email', type: 'daily_usage', threshold_kwh: 5 });
  expect([first.status, again.status, again.json]).toEqual([201, 201, first.json]);
  expect((await send({ ...alert, threshold_kwh: 6 })).status).toBe(409);
  const paired = (...channels: object[]) => post('/v1/devices', { type: 'x', location: 'x', channels }, 'nine');
  const [a, b] = [
    { native_name: 'a', counts_as: 'import' },
    { native_name: 'b', counts_as: 'export' },
  ];
  const pairedFirst = await paired(a, b);
  const pairedAgain = await paired({ counts_as: 'import', native_name: 'a' }, b);
  expect([pairedAgain.status, pairedAgain.json.device_id]).toEqual([201, pairedFirst.json.device_id]);
  expect((await paired(b, a)).status).toBe(409);
});

test('keys that contain blanks or are too long are 400', async () => {
  for (const key of ['a b', 'x'.repeat(256), '\u00e9'])
    expect((await post('/v1/devices', device(), key)).status).toBe(400);
});
