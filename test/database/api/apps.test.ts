import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import type { Person } from '#test/support/members.ts';

let api: TestApi;
let utility: Person;
let other: Person;
let admin: Person;
let home: Person;
beforeAll(async () => {
  api = await startTestApi();
  [utility, other, admin, home] = await Promise.all([
    api.user('utility'),
    api.user('utility'),
    api.user('admin'),
    api.user('homeowner'),
  ]);
});
afterAll(() => api.close());

const program = {
  name: 'Bright Home',
  website: 'https://bright.example.com',
  type: 'confidential',
  redirect_uris: ['https://bright.example.com/callback?from=here'],
  scopes: ['devices:read', 'insights:read'],
};
const register = (body: object, by = utility) => api.send('/v1/apps', { method: 'POST', key: by.key, body });
const change = (appId: string, body: object, by = utility) =>
  api.send(`/v1/apps/${appId}`, { method: 'PATCH', key: by.key, body });

describe('an app', () => {
  test('is registered, listed, changed and deleted; its secret is shown once and stored nowhere', async () => {
    const { status, json } = await register(program);
    const { client_secret: secret, ...shown } = json;
    expect([status, shown]).toEqual([
      201,
      {
        ...program,
        scopes: ['insights:read', 'devices:read'],
        app_id: expect.stringMatching(/^app_/),
        client_id: shown.app_id,
        user_id: utility.userId,
        notification_url: null,
        created_at: api.now.toISOString(),
      },
    ]);
    expect(secret).toMatch(/^eus_cs_\w{42}$/);
    const path = `/v1/apps/${shown.app_id}`;
    expect((await api.send('/v1/apps', { key: utility.key })).json).toEqual([shown]);
    expect((await api.send(path, { key: utility.key })).json).toEqual(shown);
    const patch = { scopes: ['insights:read'], notification_url: 'https://bright.example.com/changed' };
    expect((await change(shown.app_id, patch)).json).toEqual({ ...shown, ...patch });
    const { rows } = await api.database.pool.query('SELECT apps::text AS row FROM apps');
    expect(rows.map(({ row }) => row).join()).not.toContain(secret);
    const audit = await api.send('/v1/audit', { key: admin.key });
    expect(audit.text).not.toContain(secret);
    expect(audit.json[0]).toMatchObject({ action: 'app.changed', target: shown.app_id, actor_user_id: utility.userId });
    expect((await api.send(path, { method: 'DELETE', key: utility.key })).status).toBe(200);
    expect((await api.send(path, { key: utility.key })).status).toBe(404);
  });

  test('is visible to its utility and to administrators only, and homeowners cannot register apps', async () => {
    const { json } = await register({ ...program, type: 'public' });
    expect(json).not.toHaveProperty('client_secret');
    const path = `/v1/apps/${json.app_id}`;
    const missing = await api.send('/v1/apps/app_00000000000000000000000000', { key: other.key });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { body: { name: 'y' } } : {};
      expect((await api.send(path, { method, key: other.key, ...body })).json).toEqual(missing.json);
      expect((await api.send(path, { method, key: home.key, ...body })).status).toBe(403);
    }
    expect((await api.send('/v1/apps', { key: other.key })).json).toEqual([]);
    expect((await register(program, home)).status).toBe(403);
    expect((await api.send('/v1/apps', { key: home.key })).status).toBe(403);
    expect((await change(json.app_id, { name: 'y' }, admin)).json.name).toBe('y');
    const narrow = await api.user('utility', { scopes: ['users:read', 'users:write'] });
    expect((await api.send('/v1/apps', { key: narrow.key })).status).toBe(403);
  });

  test.each([
    ['http', 'http://bright.example.com/'],
    ['another scheme', 'bright:/callback'],
    ['javascript', 'javascript:alert(1)'],
    ['a fragment', 'https://bright.example.com/#a'],
    ['an empty fragment', 'https://bright.example.com/#'],
    ['credentials', 'https://bright.example.com@evil.example/'],
    ['a blank', 'https://bright.example.com/ a'],
    ['a wildcard', 'https://*.example.com/'],
    ['a host that ends a policy', 'https://bright.example.com;sandbox/'],
    ['a relative one', '/callback'],
    ['a name like loopback', 'http://127.0.0.1.example.com/'],
    ['credentials of loopback', 'http://127.0.0.1@evil.example/'],
    ['a network address', 'http://192.168.0.1/'],
    ['a port beyond', 'http://127.0.0.1:99999/'],
    ['no text', 7],
  ])('cannot be registered with the redirect URI %s', async (_, uri) => {
    for (const type of ['confidential', 'public']) {
      const { status, json } = await register({ ...program, type, redirect_uris: [uri] });
      expect([status, json.details[0].field]).toEqual([422, expect.stringMatching(/^redirect_uris/)]);
    }
  });

  test('may have a loopback address only if it is a public client', async () => {
    const uris = ['http://127.0.0.1/callback', 'http://[::1]:8080/', 'http://localhost/a?b'];
    const { status, json } = await register({ ...program, type: 'public', redirect_uris: uris });
    expect([status, json.redirect_uris]).toEqual([201, uris]);
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      expect((await register({ ...program, type: 'public', redirect_uris: [`https://${host}/`] })).status).toBe(422);
    expect((await register({ ...program, redirect_uris: uris })).status).toBe(422);
    const confidential = (await register(program)).json.app_id;
    expect((await change(confidential, { redirect_uris: uris })).status).toBe(422);
    expect((await change(json.app_id, { redirect_uris: uris.slice(1) })).json.redirect_uris).toEqual(uris.slice(1));
  });

  test.each([
    ['scopes beyond those of apps', { scopes: ['keys:write'] }],
    ['no scopes', { scopes: [] }],
    ['a name of several lines', { name: 'Bright\nHome' }],
    ['a name that reads backwards', { name: 'a\u202eb' }],
    ['a blank name', { name: ' ' }],
    ['a website without TLS', { website: 'http://bright.example.com' }],
    ['no redirect URIs', { redirect_uris: [] }],
    ['too many redirect URIs', { redirect_uris: Array(11).fill('https://bright.example.com/') }],
    ['another type', { type: 'web' }],
    ['unknown members', { client_secret: 'x' }],
  ])('is refused with %s', async (_, wrong) => {
    expect((await register({ ...program, ...wrong })).status).toBe(422);
  });

  test('cannot change its type', async () => {
    const { json } = await register(program);
    expect((await change(json.app_id, { type: 'public' })).status).toBe(422);
  });
});
