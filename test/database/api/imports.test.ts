import { describe, expect, test } from 'vitest';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import { deleteExpiredImportCredentials } from '#src/onboarding/imports.ts';
import type { TestApi } from '#test/support/api.ts';
import { type CallersByRole, setUpCallersByRole } from '#test/support/callers.ts';

let api: TestApi;
let admin: CallersByRole['admin'];
let utility: CallersByRole['utility'];
let home: CallersByRole['home'];
setUpCallersByRole((made) => ({ api, admin, utility, home } = made));

const post = (
  key: string,
  body: unknown,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) => api.send(`/v1/imports${query}`, { method: 'POST', key, body, headers });
const postCsv = (key: string, raw: string | Buffer, query = '') =>
  api.send(`/v1/imports${query}`, { method: 'POST', key, raw, headers: { 'content-type': 'text/csv' } });
const devicesOf = async (userId: string) =>
  (await api.send(`/v1/devices?user_id=${userId}&limit=200`, { key: admin.key })).json as {
    device_id: string;
    type: string;
    location: string;
  }[];
const emailOf = async (userId: string) =>
  (await api.send(`/v1/users/${userId}`, { key: admin.key })).json.email as string;

test('a utility pairs devices of its homeowners in one request, and fetches their passwords once', async () => {
  const csv = `email,type,location,external_id\n${(await emailOf(home.userId)).toUpperCase()},meter,cellar,A1\n,meter,"own, roof",A2\n`;
  const made = await postCsv(utility.key, csv);
  expect(made).toMatchObject({ status: 201 });
  const { import_id } = made.json;
  expect(made.json).toEqual({
    import_id: expect.stringMatching(/^imp_/),
    state: 'completed',
    created_at: expect.any(String),
    rows: 2,
    created: 2,
    existing: 0,
    users_created: 0,
    differing: [],
    credentials: 'waiting',
  });
  expect(await devicesOf(home.userId)).toMatchObject([{ location: 'cellar' }]);
  expect(await devicesOf(utility.userId)).toMatchObject([{ location: 'own, roof' }]);

  const path = `/v1/imports/${import_id}`;
  const stranger = await api.user('utility');
  for (const key of [stranger.key, home.key]) {
    expect(await api.send(path, { key })).toMatchObject({ status: 404 });
    expect(await api.send(`${path}/credentials`, { method: 'POST', key })).toMatchObject({ status: 404 });
  }
  const headers = { 'idempotency-key': 'fetch' };
  const fetched = await api.send(`${path}/credentials`, { method: 'POST', key: utility.key, headers });
  expect(fetched).toMatchObject({ status: 200, json: { import_id } });
  const { credentials } = fetched.json;
  expect(credentials).toMatchObject([
    { row: 'line 2', external_id: 'A1' },
    { row: 'line 3', external_id: 'A2' },
  ]);
  for (const { username, password } of credentials)
    expect(await isDeviceLoginValid(api.db, username, password)).toBe(true);
  expect(await api.send(`${path}/credentials`, { method: 'POST', key: utility.key })).toMatchObject({ status: 409 });
  // If the response with the credentials is lost, the same request returns the credentials again.
  expect((await api.send(`${path}/credentials`, { method: 'POST', key: utility.key, headers })).json).toEqual(
    fetched.json,
  );
  expect((await api.send(path, { key: utility.key })).json).toEqual({ ...made.json, credentials: 'gone' });

  const again = await postCsv(utility.key, csv);
  expect(again.json).toMatchObject({ created: 0, existing: 2, credentials: 'gone' });
  const { rows } = await api.database.pool.query(
    'SELECT action, target, about_user_id, details FROM audit_log WHERE actor_user_id = $1 ORDER BY audit_id',
    [utility.userId],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'device.paired',
    'device.paired',
    'devices.imported',
    'import.credentials_fetched',
    'devices.imported',
  ]);
  expect(rows[2]).toMatchObject({ target: import_id, details: { rows: 2 } });
  expect(JSON.stringify(rows)).not.toContain(credentials[0].password);
});

test('a JSON POST accepts every setting, and the same key returns the same answer', async () => {
  const row = {
    user_id: home.userId,
    type: 'meter',
    location: 'json',
    external_id: 'J1',
    limit_kw: 20,
    register_max_kwh: 99_999,
    placement: 'grid',
    timezone: 'Europe/Berlin',
    decoder_config: { meter: { m1: { unit: 'kWh' } } },
    channels: [{ native_name: 'P', counts_as: 'import' }],
  };
  const headers = { 'idempotency-key': 'json' };
  const first = await post(utility.key, [row], { headers });
  expect(first).toMatchObject({ status: 201, json: { created: 1 } });
  expect((await post(utility.key, [row], { headers })).json).toEqual(first.json);
  const device = (await devicesOf(home.userId)).find(({ location }) => location === 'json');
  const { user_id, channels, ...settings } = row;
  expect((await api.send(`/v1/devices/${device?.device_id}`, { key: home.key })).json).toMatchObject({
    ...settings,
    channels: [{ native_name: 'P', counts_as: 'import' }],
  });
  // An `external_id` must be unique within an account, also for a device that a single POST creates.
  const single = { user_id: home.userId, type: 'meter', location: 'elsewhere', external_id: 'J1' };
  expect(await api.send('/v1/devices', { method: 'POST', key: utility.key, body: single })).toMatchObject({
    status: 409,
  });
  const other = (await devicesOf(home.userId)).find(({ location }) => location !== 'json');
  const patch = { method: 'PATCH', key: utility.key, body: { external_id: 'J1' } };
  expect(await api.send(`/v1/devices/${other?.device_id}`, patch)).toMatchObject({ status: 409 });
  const differing = await post(utility.key, [{ ...row, limit_kw: 30 }]);
  expect(differing.json.differing).toEqual([{ row: '0', device_id: device?.device_id, members: ['limit_kw'] }]);
});

describe('an import stores nothing', () => {
  const count = async () => (await api.db.selectFrom('devices').select('device_id').execute()).length;

  test.each([
    ['a mistake in one row', 'type,location\nmeter,a\n,b\n', 422, 'line 3.type'],
    ['a double row', 'type,location\nmeter,a\nmeter,a\n', 422, 'line 3.location'],
    ['a user that is not there', 'user_id,type,location\nusr_nobody,meter,a\n', 422, 'line 2.user_id'],
    ['a user with NUL', 'user_id,type,location\nusr_\0,meter,a\n', 422, 'line 2.user_id'],
    ['an address that is not there', 'email,type,location\nnobody@example.com,meter,a\n', 422, 'line 2.email'],
    ['an unknown column', 'type,location,colour\nmeter,a,red\n', 422, 'line 1'],
    ['no row', 'type,location\n', 422, 'body'],
    ['an open quote', 'type,location\n"meter,a\n', 422, undefined],
    [
      'deep JSON in a cell',
      `type,location,decoder_config\nmeter,a,${'['.repeat(5_000)}${']'.repeat(5_000)}\n`,
      422,
      'line 2.decoder_config',
    ],
    [
      'an upstream device of nobody',
      'type,location,upstream_device_id\nmeter,a,dev_x\n',
      422,
      'line 2.upstream_device_id',
    ],
  ])('if it contains %s', async (_name, csv, status, field) => {
    const before = await count();
    const refused = await postCsv(admin.key, csv);
    expect(refused).toMatchObject({ status });
    if (field !== undefined) expect(refused.json.details[0].field).toBe(field);
    expect(await count()).toBe(before);
  });

  test('if its body is too long, has too many rows, or is no list', async () => {
    expect((await postCsv(admin.key, Buffer.alloc(8 * 1_048_576 + 1, 'x'))).json).toMatchObject({
      error: 'The body is longer than 8 MiB',
      code: 'import_too_long',
      status: 400,
    });
    const many = `type,location\n${'meter,a\n'.repeat(20_001)}`;
    expect((await postCsv(admin.key, many)).json.details).toEqual([
      { field: 'line 20002', message: 'the table has more than 20000 rows; split it' },
    ]);
    expect(await post(admin.key, { type: 'meter' })).toMatchObject({ status: 422 });
  });

  test('if a homeowner names another account, or a utility a foreign homeowner', async () => {
    const row = { type: 'meter', location: 'x' };
    const stranger = await api.user('homeowner');
    expect(await post(home.key, [{ ...row, user_id: stranger.userId }])).toMatchObject({ status: 403 });
    expect(await post(home.key, [row], { query: '?create_users=true' })).toMatchObject({ status: 403 });
    const none = 'there is no such user';
    for (const [named, message] of [
      [{ user_id: stranger.userId }, none],
      [
        { email: await emailOf(stranger.userId) },
        `${none}; with create_users=true an account is created for the address`,
      ],
    ] as const) {
      const refused = await post(utility.key, [{ ...row, ...named }]);
      expect(refused.json.details).toEqual([{ field: `0.${Object.keys(named)[0]}`, message }]);
    }
    const mine = await post(home.key, [{ ...row, email: 'nobody.there@example.com' }]);
    expect(mine.json.details).toEqual([{ field: '0.email', message: none }]);
    const reader = await api.user('utility', { scopes: ['devices:read'] });
    expect(await post(reader.key, [row])).toMatchObject({ status: 403 });
    expect(await post(home.key, [row])).toMatchObject({ status: 201, json: { created: 1 } });
    expect(await devicesOf(stranger.userId)).toEqual([]);
  });
});

test('accounts are created if requested and allowed', async () => {
  const row = { email: 'new.owner@example.com', type: 'meter', location: 'x' };
  const create = { query: '?create_users=true' };
  const paired = await api.user('utility', { scopes: ['devices:write'] });
  expect(await post(paired.key, [row], create)).toMatchObject({ status: 403 });
  expect(await post(utility.key, [row], create)).toMatchObject({ status: 201, json: { created: 1, users_created: 1 } });
  expect(await post(utility.key, [row])).toMatchObject({ json: { created: 0, existing: 1, users_created: 0 } });
  const { json: users } = await api.send('/v1/users?search=new.owner', { key: utility.key });
  expect(users).toMatchObject([{ email: row.email, role: 'homeowner' }]);
  // This e-mail address belongs to a homeowner of another utility. The error reveals only that the address is taken.
  const stranger = await api.user('utility');
  expect((await post(stranger.key, [row], create)).json.details).toEqual([
    { field: '0.email', message: 'is the address of an account that you do not manage' },
  ]);
});

test('unfetched passwords are deleted after a day', async () => {
  const { json } = await post(home.key, [{ type: 'meter', location: 'forgotten' }]);
  await api.database.pool.query("UPDATE imports SET created_at = now() - interval '25 hours' WHERE import_id = $1", [
    json.import_id,
  ]);
  await deleteExpiredImportCredentials(api.db, new Date());
  expect((await api.send(`/v1/imports/${json.import_id}`, { key: home.key })).json.credentials).toBe('gone');
});

test('of two concurrent imports of one account, one succeeds and the other is refused', async () => {
  const rows = Array.from({ length: 3_000 }, (_, index) => ({ type: 'meter', location: `at once ${index}` }));
  const answers = await Promise.all([post(admin.key, rows), post(admin.key, rows)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect((await post(admin.key, rows)).json).toMatchObject({ created: 0, existing: 3_000 });
});
