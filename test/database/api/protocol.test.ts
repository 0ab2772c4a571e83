import { connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlainHttpServer } from '#src/api/plain-http.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { createExpectedErrorBody, startTestApi, type TestApi } from '#test/support/api.ts';

const PAGE = 'https://app.example.com';

let api: TestApi;
let person: { userId: string; key: string };
beforeAll(async () => {
  api = await startTestApi({ corsOrigins: [PAGE, 'http://localhost:5173'] });
  person = await api.user('admin', { scopes: [...SCOPES] });
});
afterAll(() => api.close());

/** Sends the bytes unchanged. Returns the status, headers and JSON body of the response. */
async function raw(text: string, port = api.port, isPlain = false) {
  const socket = isPlain
    ? connectTcp(port, '127.0.0.1')
    : connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), json: JSON.parse(body || 'null') };
}
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const close = 'Connection: close';

describe('a request', () => {
  test('without Host is refused in JSON, and is served with HTTP/1.0', async () => {
    const { status, json, head } = await raw(lines('GET /healthz HTTP/1.1', close));
    expect(status).toBe(400);
    expect(json).toEqual({
      ...createExpectedErrorBody('badRequest'),
      details: [{ field: 'Host', message: 'is required' }],
    });
    expect(head).toContain('strict-transport-security');
    expect((await raw(lines('GET /healthz HTTP/1.0'))).json).toEqual({ status: 'ok' });
  });

  test('with an unknown Expect is refused in JSON; with 100-continue it continues', async () => {
    const strange = await raw(lines('GET /healthz HTTP/1.1', 'Host: x', 'Expect: 200-maybe', close));
    expect(strange).toMatchObject({ status: 400, json: { status: 400, details: [{ field: 'Expect' }] } });
    const body = '{"name":"x"}';
    const headers = ['Host: x', `Authorization: Bearer ${person.key}`, 'Content-Type: application/json'];
    const length = `Content-Length: ${body.length}`;
    const post = lines('POST /v1/gateways HTTP/1.1', ...headers, length, 'Expect: 100-Continue', close) + body;
    const socket = connect({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.write(post);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  test('in absolute form is served, and needs a key if its path does', async () => {
    const ask = (target: string, ...more: string[]) => raw(lines(`GET ${target} HTTP/1.1`, 'Host: x', close, ...more));
    const key = `Authorization: Bearer ${person.key}`;
    expect((await ask('https://energy.example.net/healthz')).json).toEqual({ status: 'ok' });
    expect((await ask(`https://energy.example.net:8443/v1/users/${person.userId}?`, key)).json.user_id).toBe(
      person.userId,
    );
    expect((await ask('HTTPS://x/v1/devices', key)).status).toBe(200);
    expect((await ask('https://x/v1/devices')).status).toBe(401);
    expect((await ask('https://x/v1')).status).toBe(401);
    expect((await ask('https://x', key)).status).toBe(404);
    expect((await ask('https://x/v1/devices?limit=1&limit=2', key)).status).toBe(400);
    expect((await ask('ftp://x/healthz')).status).toBeGreaterThanOrEqual(400);
  });

  test('over plain HTTP is refused in JSON, whatever is missing, and even if it is not HTTP', async () => {
    const server = createPlainHttpServer(
      () => false,
      () => {},
      () => 'https://localhost:8443',
    );
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    for (const head of [
      'GET / HTTP/1.1',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: x',
      'GET http://x/ HTTP/1.1\r\nHost: x',
      'UNKNOWN / HTTP/1.1\r\nHost: x',
      `GET / HTTP/1.1\r\nHost: x\r\nLong: ${'a'.repeat(40_000)}`,
      'nonsense',
    ])
      expect(await raw(lines(head, close), port, true)).toMatchObject({
        status: 403,
        json: { error: 'HTTPS is required', status: 403 },
      });
    server.close();
  });

  test('with a body that is too long is answered also to a client that first sends the whole body', async () => {
    const head = (...more: string[]) =>
      lines('POST /v1/gateways HTTP/1.1', 'Host: x', `Authorization: Bearer ${person.key}`, ...more, close);
    const json = 'Content-Type: application/json';
    const body = 'a'.repeat(8_000_000);
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const text of [
      head(json, `Content-Length: ${body.length}`) + body,
      head(json, 'Transfer-Encoding: chunked') + chunked,
    ]) {
      const socket = connect({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
      await new Promise<void>((done, fail) => {
        socket.once('error', fail);
        socket.write(text, () => done());
      });
      let answer = '';
      for await (const chunk of socket) answer += chunk;
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"body_too_long"');
    }
  });

  test('with a member __proto__ or constructor is refused by the name of the member', async () => {
    for (const name of ['__proto__', 'constructor']) {
      const sent = { method: 'POST', key: person.key, raw: `{"name":"x","${name}":{"prototype":{}}}` };
      const details = [{ field: name, message: 'unknown field' }];
      expect((await api.send('/v1/gateways', sent)).json).toMatchObject({ status: 422, details });
      expect((await api.send('/v1/price-series', sent)).json).toMatchObject({
        status: 422,
        details: expect.arrayContaining(details),
      });
    }
  });

  test('nested 5,000 deep is 422 on every operation with such a body, with an Idempotency-Key, too', async () => {
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const { gateway_id } = (await api.send('/v1/gateways', { method: 'POST', key: person.key, body: { name: 'deep' } }))
      .json;
    const config = { method: 'PATCH', key: person.key, raw: `{"decoder_config":${deep}}` };
    const refused = await api.send(`/v1/gateways/${gateway_id}`, config);
    expect(refused.json).toMatchObject({ status: 422, details: [{ field: 'body' }] });
    const levels = (count: number) => `{"decoder_config":${'{"a":'.repeat(count)}1${'}'.repeat(count)}}`;
    const shallow = await api.send(`/v1/gateways/${gateway_id}`, { ...config, raw: levels(90) });
    expect(shallow.status).toBe(200);
    for (const { method, path } of OPERATIONS.filter(({ body }) => body)) {
      const headers = method === 'POST' ? { 'idempotency-key': 'deep' } : {};
      const sent = { method, key: person.key, raw: deep, headers };
      const { status } = await api.send(path.replaceAll(/\{\w+\}/g, 'x'), sent);
      expect({ method, path, status }).toEqual({ method, path, status: 422 });
    }
  });
});

describe('a web page of another origin', () => {
  const ask = (path: string, origin: string, method = 'GET', more: Record<string, string> = {}) =>
    api.send(path, { method, headers: { origin, ...more }, ...(method === 'GET' ? { key: person.key } : {}) });
  const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' };

  test('that is configured may call /v1, and can read error answers', async () => {
    const answered = await ask('/v1/devices?limit=1', PAGE);
    expect(answered.status).toBe(200);
    expect(answered.headers).toMatchObject({ 'access-control-allow-origin': PAGE, vary: 'Origin' });
    expect(answered.headers['access-control-expose-headers']).toMatch(/Link.*RateLimit.*Retry-After/);
    expect(answered.headers).not.toHaveProperty('access-control-allow-credentials');
    const refused = await api.send('/v1/devices', { headers: { origin: PAGE } });
    expect(refused.status).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBe(PAGE);
    const asked = await ask('/v1/alerts/alr_x', PAGE, 'OPTIONS', preflight);
    expect({ status: asked.status, text: asked.text }).toEqual({ status: 204, text: '' });
    expect(asked.headers).toMatchObject({
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringContaining('Idempotency-Key'),
    });
  });

  test('that is not configured may not; nor may any outside /v1, or without configured origins', async () => {
    for (const origin of ['https://evil.example', 'null', 'https://app.example.com.evil', 'http://app.example.com']) {
      expect((await ask('/v1/devices', origin)).headers).not.toHaveProperty('access-control-allow-origin');
      expect((await ask('/v1/devices', origin, 'OPTIONS', preflight)).status).toBe(401);
    }
    for (const path of ['/healthz', '/dashboard/session', '/dashboard/v1/devices'])
      expect((await ask(path, PAGE)).headers).not.toHaveProperty('access-control-allow-origin');
    const closed = await startTestApi();
    try {
      const { headers } = await closed.send('/v1/devices', { headers: { origin: PAGE } });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('vary');
    } finally {
      await closed.close();
    }
  });
});
