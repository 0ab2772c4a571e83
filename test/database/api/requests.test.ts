import { request as httpRequest } from 'node:http';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlainHttpServer } from '#src/api/plain-http.ts';
import { revokeKey } from '#src/auth/keys.ts';
import { createExpectedErrorBody, startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
let admin: { userId: string; key: string };
let utility: { userId: string; key: string };
let owner: { userId: string; key: string };
let foreign: { userId: string; key: string };

beforeAll(async () => {
  api = await startTestApi();
  admin = await api.user('admin');
  utility = await api.user('utility');
  owner = await api.user('homeowner', { enrolledBy: utility.userId });
  foreign = await api.user('homeowner');
});
afterAll(() => api.close());

describe('keys', () => {
  test('every path below /v1, known or not, is 401 without a valid key', async () => {
    const odd = [`/v1/users/${'x'.repeat(3_000)}`, '/v1/users/%E0%A4%A', '/v1/%00', '/v1//'];
    for (const path of ['/v1/users/x', '/v1/nothing', '/v1', '/v1/energy-insights?bad=1', ...odd]) {
      for (const headers of [
        {},
        { authorization: 'Basic abc' },
        { authorization: `Bearer eus_live_${'x'.repeat(42)}` },
      ]) {
        const { status, json } = await api.send(path, { headers });
        expect({ path, status, json }).toEqual({ path, status: 401, json: createExpectedErrorBody('unauthorized') });
      }
    }
    expect((await api.send('/elsewhere')).status).toBe(404);
    expect((await api.send('/healthz')).status).toBe(200);
  });

  test('401 explains the expected header, or that the key is invalid, and nothing else', async () => {
    const addressOf = async (headers: Record<string, string>) =>
      (await api.send('/v1/devices', { headers })).headers['www-authenticate'];
    expect(await addressOf({})).toBe('Bearer realm="Send the header Authorization: Bearer API_KEY"');
    expect(await addressOf({ authorization: 'Basic abc' })).toBe(await addressOf({}));
    const wrong = await addressOf({ authorization: `Bearer eus_live_${'x'.repeat(42)}` });
    expect(wrong).toMatch(/^Bearer error="invalid_token", error_description="The API key is unknown, /);
    expect(await addressOf({ authorization: 'Bearer nonsense' })).toBe(wrong);
  });

  test('a missing scope is 403 before anything is read', async () => {
    const reader = await api.user('admin', { scopes: ['insights:read'] });
    for (const id of ['usr_nobody', 'x'.repeat(3_000), '%E0%A4%A', '%00']) {
      expect((await api.send(`/v1/users/${id}`, { key: reader.key })).status).toBe(403);
    }
    expect((await api.send('/v1/devices', { method: 'POST', key: reader.key, body: {} })).status).toBe(403);
  });

  test('a revoked key is refused within 10 s', async () => {
    const one = await api.user('homeowner');
    expect((await api.send('/v1/devices', { key: one.key })).status).toBe(200);
    const { rows } = await api.database.pool.query('SELECT key_id FROM api_keys WHERE user_id = $1', [one.userId]);
    await revokeKey(api.db, { all: true }, rows[0].key_id);
    const untilMs = Date.now() + 10_000;
    let status = 200;
    while (status === 200 && Date.now() < untilMs) {
      ({ status } = await api.send('/v1/devices', { key: one.key }));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(status).toBe(401);
  });
});

describe('the reach of a key', () => {
  const paths = [
    ['users', (id: string) => `/v1/users/${id}`],
    ['devices', (id: string) => `/v1/devices?user_id=${id}`],
    ['insights', (id: string) => `/v1/energy-insights?user_id=${id}`],
  ] as const;
  for (const [name, path] of paths) {
    test(`is that of its role: ${name}`, async () => {
      const ids = {
        owner: owner.userId,
        foreign: foreign.userId,
        unknown: 'usr_0000000000000000000000000a',
        odd: 'a%00b',
      };
      const table: Record<string, Record<string, number>> = {};
      for (const [role, { key }] of Object.entries({ admin, utility, owner })) {
        table[role] = {};
        for (const [whose, id] of Object.entries(ids)) table[role][whose] = (await api.send(path(id), { key })).status;
      }
      expect(table).toEqual({
        admin: { owner: 200, foreign: 200, unknown: 404, odd: 404 },
        utility: { owner: 200, foreign: 404, unknown: 404, odd: 404 },
        owner: { owner: 200, foreign: 403, unknown: 403, odd: 403 },
      });
    });
  }

  test('only utilities and administrators create users, and a utility only homeowners', async () => {
    const create = (key: string, role: string, more = {}) =>
      api.send('/v1/users', { method: 'POST', key, body: { email: `new${Math.random()}@example.com`, role, ...more } });
    expect((await create(owner.key, 'homeowner')).status).toBe(403);
    expect((await create(utility.key, 'utility')).status).toBe(403);
    expect((await create(utility.key, 'homeowner', { plan: 'enterprise' })).status).toBe(403);
    const made = await create(utility.key, 'homeowner');
    expect(made).toMatchObject({ status: 201, json: { status: 'created' } });
    expect((await api.send(`/v1/users/${made.json.user_id}`, { key: utility.key })).json).toMatchObject({
      role: 'homeowner',
      timezone: 'UTC',
    });
    expect((await create(admin.key, 'utility', { phone: '+4915112345678', timezone: 'Europe/Berlin' })).status).toBe(
      201,
    );
  });

  test('an e-mail address is unique, in upper and lower case', async () => {
    const create = (email: string) =>
      api.send('/v1/users', { method: 'POST', key: admin.key, body: { email, role: 'homeowner' } });
    expect((await create('Twice@example.com')).status).toBe(201);
    expect((await create('twice@EXAMPLE.com')).status).toBe(409);
    expect((await create('no address')).status).toBe(422);
  });
});

describe('devices', () => {
  test('are paired with credentials, and listed page by page', async () => {
    const pair = (location: string) =>
      api.send('/v1/devices', { method: 'POST', key: owner.key, body: { type: 'smart_meter', location } });
    const ids: string[] = [];
    for (const location of ['a', 'b', 'c']) {
      const { status, json } = await pair(location);
      expect(status).toBe(201);
      expect(json).toMatchObject({ status: 'inactive', last_seen_at: null });
      expect(json.mqtt).toEqual({
        username: json.device_id,
        password: expect.any(String),
        topic: `energy/v1/${json.device_id}/readings`,
      });
      ids.push(json.device_id);
    }
    const seen: string[] = [];
    let path: string | undefined = '/v1/devices?limit=2';
    while (path) {
      const page = await api.send(path, { key: owner.key });
      expect(page.text).not.toContain('password');
      seen.push(...page.json.map((device: { device_id: string }) => device.device_id));
      path = /<(.+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual([...ids].sort());
    for (const limit of ['0', '201', 'x'])
      expect((await api.send(`/v1/devices?limit=${limit}`, { key: owner.key })).status).toBe(422);
  });

  test.each([
    [{}, 422],
    [{ type: 'x', location: 'y', colour: 'red' }, 422],
    [{ type: 'x', location: 'y', limit_kw: -1 }, 422],
    [{ type: 'x\u0000', location: 'y' }, 422],
    [{ type: '', location: 'y' }, 422],
  ])('%j is %i', async (body, status) => {
    expect((await api.send('/v1/devices', { method: 'POST', key: owner.key, body })).status).toBe(status);
  });
});

describe('malformed requests', () => {
  const post = (raw: string | Buffer, headers = {}) =>
    api.send('/v1/users', { method: 'POST', key: admin.key, raw, headers });

  test('are 400 if they cannot be parsed', async () => {
    expect((await post('{"email":')).status).toBe(400);
    expect((await post('')).status).toBe(400);
    expect((await post('{"__proto__":{"a":1}}')).status).toBe(422);
    expect((await post('<a/>', { 'content-type': 'application/xml' })).status).toBe(400);
    expect((await post('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(400);
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await post(JSON.stringify({ email: 'x'.repeat(1_100_000) }))).status).toBe(400);
  });

  test('are 404 if an identifier is too long or malformed', async () => {
    for (const id of ['x'.repeat(3_000), '%E0%A4%A', '%00', '%2F', '%25']) {
      const { status, json } = await api.send(`/v1/users/${id}`, { key: admin.key });
      expect({ id, status, json }).toEqual({ id, status: 404, json: createExpectedErrorBody('notFound') });
    }
  });

  test('are 404 on unknown paths, with Allow on a known one', async () => {
    const { status, headers, json } = await api.send('/v1/energy-insights', { method: 'DELETE', key: admin.key });
    expect({ status, allow: headers.allow, json }).toEqual({
      status: 404,
      allow: 'GET, POST',
      json: createExpectedErrorBody('notFound'),
    });
    expect((await api.send('/v1/nothing', { key: admin.key })).headers.allow).toBeUndefined();
    for (const [method, path, allow] of [
      ['POST', '/healthz', 'GET'],
      ['DELETE', '/v1/openapi.json', 'GET'],
      ['GET', '/oauth/token', 'POST'],
      ['PUT', '/mcp', 'POST, GET, DELETE'],
      ['PUT', '/v1/users/x', 'GET, PATCH, DELETE'],
      ['POST', '/v1/openapi-json', undefined],
      ['POST', '/dashboard/app/none.js', undefined],
    ] as const) {
      const other = await api.send(path, { method, key: admin.key });
      expect({ path, status: other.status, allow: other.headers.allow }).toEqual({ path, status: 404, allow });
    }
  });

  test('get JSON even if they violate the protocol', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false }, () =>
        socket.write('NONSENSE\r\n\r\n'),
      );
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toEqual(createExpectedErrorBody('badRequest'));
  });

  test('of a browser over plain HTTP are refused with a link to HTTPS, for any host', async () => {
    const server = createPlainHttpServer(
      () => false,
      () => expect.unreachable(),
      () => 'https://localhost:8443',
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const answer = await new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', host: 'evil.example' };
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/', headers }, async (response) => {
        const chunks = await response.toArray();
        const type = response.headers['content-type'] ?? '';
        resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString() });
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
    server.close();
    expect(answer).toMatchObject({ status: 403, type: 'text/html; charset=utf-8' });
    expect(answer.text).toContain('<a href="https://localhost:8443/dashboard">');
    expect(answer.text).not.toContain('evil');
  });

  test('over plain HTTP are refused with 403, whatever their content', async () => {
    const server = createPlainHttpServer(
      () => false,
      () => expect.unreachable(),
      () => 'https://localhost:8443',
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const outgoing = httpRequest(
        { port, host: '127.0.0.1', path: '/v1/users', headers: { authorization: `Bearer ${admin.key}` } },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
    server.close();
    expect({ ...answer, text: JSON.parse(answer.text) }).toEqual({
      status: 403,
      text: createExpectedErrorBody('httpsRequired'),
    });
  });
});
