import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApi, testApi } from '#test/support/api.ts';

let api: TestApi;
let utility: { userId: string; key: string };
const enrolled: string[] = [];
beforeAll(async () => {
  api = await testApi();
  utility = await api.user('utility');
  for (let count = 0; count < 3; count++)
    enrolled.push((await api.user('homeowner', { enrolledBy: utility.userId })).userId);
}, 180_000);
afterAll(() => api.close());

const idsOf = async (key: string, query = '') => {
  const { status, json } = await api.send(`/v1/users${query}`, { key });
  expect(status).toBe(200);
  return json.map(({ user_id }: { user_id: string }) => user_id);
};

test('GET /v1/users lists whom the caller reaches: a homeowner itself, a utility its homeowners, too, an administrator all', async () => {
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

test('it comes page by page, and by part of the e-mail address', async () => {
  const first = await api.send('/v1/users?limit=2', { key: utility.key });
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string;
  const second = await api.send(next, { key: utility.key });
  expect([...first.json, ...second.json].map(({ user_id }) => user_id)).toEqual([utility.userId, ...enrolled]);
  expect(second.headers.link).toBeUndefined();
  const { email } = first.json[1];
  expect(await idsOf(utility.key, `?search=${encodeURIComponent(email.toUpperCase())}`)).toEqual([enrolled[0]]);
  expect(await idsOf(utility.key, '?search=%25')).toEqual([]);
});
