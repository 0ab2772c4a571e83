import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ensureBootstrapAdmin } from '#src/auth/keys.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let utility: { userId: string; key: string };
const enrolled: string[] = [];
beforeAll(async () => {
  api = await startTestApi();
  utility = await api.user('utility');
  for (let count = 0; count < 3; count++)
    enrolled.push((await api.user('homeowner', { enrolledBy: utility.userId })).userId);
});
afterAll(() => api.close());

const idsOf = async (key: string, query = '') => {
  const { status, json } = await api.send(`/v1/users${query}`, { key });
  expect(status).toBe(200);
  return json.map(({ user_id }: { user_id: string }) => user_id);
};

test('GET /v1/users lists the accounts that the caller can access: a homeowner itself, a utility also its homeowners, an administrator all', async () => {
  const stranger = await api.user('homeowner');
  const admin = await api.user('admin');
  expect(await idsOf(stranger.key)).toEqual([stranger.userId]);
  expect(await idsOf(utility.key)).toEqual([utility.userId, ...enrolled]);
  expect(await idsOf(admin.key)).toEqual([utility.userId, ...enrolled, stranger.userId, admin.userId]);
  const { status } = await api.send('/v1/users', {
    key: (await api.user('admin', { scopes: ['insights:read'] })).key,
  });
  expect(status).toBe(403);
});

test('the list is paged, and filtered by part of the e-mail address', async () => {
  const first = await api.send('/v1/users?limit=2', { key: utility.key });
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string;
  const second = await api.send(next, { key: utility.key });
  expect([...first.json, ...second.json].map(({ user_id }) => user_id)).toEqual([utility.userId, ...enrolled]);
  expect(second.headers.link).toBeUndefined();
  const { email } = first.json[1];
  expect(await idsOf(utility.key, `?search=${encodeURIComponent(email.toUpperCase())}`)).toEqual([enrolled[0]]);
  expect(await idsOf(utility.key, '?search=%25')).toEqual([]);
});

test('accounts are found by a part of the address, in any case, without wildcards', async () => {
  const { userId } = await api.user('homeowner', { enrolledBy: utility.userId });
  const stranger = await api.user('utility');
  await api.database.pool.query("UPDATE users SET email = 'Anna_50%.\\Müller@example.net' WHERE user_id = $1", [
    userId,
  ]);
  for (const part of ['anna_50%', 'ANNA', '%', '_50', '\\', 'müller', '@example.net', "'; --"]) {
    const found = await idsOf(utility.key, `?search=${encodeURIComponent(part)}`);
    expect({ part, found }).toEqual({ part, found: part === "'; --" ? [] : [userId] });
    expect(await idsOf(stranger.key, `?search=${encodeURIComponent(part)}`)).toEqual(
      part === '@example.net' ? [] : expect.not.arrayContaining([userId]),
    );
  }
  expect(await idsOf(utility.key, '?search=')).toHaveLength(5);
  await api.database.pool.query('DELETE FROM users WHERE user_id = $1', [userId]);
});

test('the list of accounts accepts the API’s parameters', async () => {
  const cases: [string, number][] = [
    ['?search=%00', 422],
    [`?search=${'x'.repeat(255)}`, 422],
    ['?limit=0', 422],
    ['?limit=201', 422],
    ['?cursor=%00', 422],
    ['?search=a&search=b', 400],
    ['?q=a', 400],
  ];
  for (const [query, status] of cases) {
    expect({ query, status: (await api.send(`/v1/users${query}`, { key: utility.key })).status }).toEqual({
      query,
      status,
    });
  }
});

test('processes that start at the same time create one administrator with one key', async () => {
  const one = await startTestApi();
  try {
    const givenKey = `eus_live_${'k'.repeat(48)}`;
    const ofProcesses = (options: { givenKey?: string }) =>
      Promise.all(Array.from({ length: 6 }, () => ensureBootstrapAdmin(one.db, { environment: 'live', ...options })));
    expect((await ofProcesses({})).filter((key) => key !== null)).toHaveLength(1);
    expect(await ofProcesses({ givenKey })).toEqual(Array(6).fill(null));
    const { rows } = await one.database.pool.query(
      "SELECT count(*)::int FROM api_keys JOIN users USING (user_id) WHERE email = 'admin@localhost'",
    );
    expect(rows).toEqual([{ count: 2 }]);
  } finally {
    await one.close();
  }
});

test('a start creates no second administrator if the first one has changed its address', async () => {
  const one = await startTestApi();
  try {
    const key = (await ensureBootstrapAdmin(one.db, { environment: 'live' })) ?? '';
    const [{ user_id: userId }] = (await one.send('/v1/users', { key })).json;
    const body = { email: 'me@example.com' };
    expect((await one.send(`/v1/users/${userId}`, { method: 'PATCH', key, body })).status).toBe(200);
    for (const givenKey of [undefined, `eus_live_${'k'.repeat(48)}`]) {
      expect(await ensureBootstrapAdmin(one.db, { environment: 'live', givenKey })).toBeNull();
      const { rows } = await one.database.pool.query("SELECT email FROM users WHERE role = 'admin'");
      expect(rows).toEqual([body]);
    }
  } finally {
    await one.close();
  }
});

test('responses about the first administrator match the document, including formats', async () => {
  const key = await ensureBootstrapAdmin(api.db, { environment: 'live' });
  const { schemas } = (await api.send('/v1/openapi.json')).json.components;
  const [user, listed] = [schemas.User, schemas.ListedUser].map((schema) =>
    z.fromJSONSchema({ ...schema, $defs: schemas }),
  );
  const found = (await api.send('/v1/users?search=admin@localhost', { key: key ?? '' })).json;
  expect(found).toMatchObject([{ email: 'admin@localhost' }]);
  expect(listed?.safeParse(found[0])).toMatchObject({ success: true });
  const one = await api.send(`/v1/users/${found[0].user_id}`, { key: key ?? '' });
  expect(user?.safeParse(one.json)).toMatchObject({ success: true });
});

test('the last administrator can neither be deleted nor get another role, also if several try at the same time', async () => {
  const own = await startTestApi();
  const admins = [await own.user('admin'), await own.user('admin'), await own.user('admin')];
  const statuses = await Promise.all(
    admins.map(async ({ userId, key }, index) => {
      const change = index === 0 ? { method: 'PATCH', body: { role: 'homeowner' } } : { method: 'DELETE' };
      return (await own.send(`/v1/users/${userId}`, { ...change, key })).status;
    }),
  );
  expect(statuses.toSorted()).toEqual([200, 200, 409]);
  const { userId, key } = admins[statuses.indexOf(409)] as (typeof admins)[number];
  for (const change of [{ method: 'DELETE' }, { method: 'PATCH', body: { role: 'utility' } }])
    expect((await own.send(`/v1/users/${userId}`, { ...change, key })).json).toMatchObject({
      status: 409,
      code: 'last_administrator',
    });
  expect((await own.send(`/v1/users/${userId}`, { method: 'PATCH', key, body: { role: 'admin' } })).status).toBe(200);
  await own.close();
});
