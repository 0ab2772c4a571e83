import { request, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlainHttpServer } from '#src/api/plain-http.ts';
import { createTrustedProxyChecker } from '#src/api/trusted-proxies.ts';
import { createExpectedErrorBody, startTestApi, type TestApi } from '#test/support/api.ts';

/** Tests of the API behind a proxy that terminates TLS. The test acts as the proxy on the loopback interface. */
let api: TestApi;
let user: { userId: string; key: string };
let plain: Server;
beforeAll(async () => {
  api = await startTestApi({ trustProxy: ['127.0.0.1'], limits: { free: { minute: 100, day: 1_000 } } });
  user = await api.user('homeowner');
  plain = createPlainHttpServer(
    createTrustedProxyChecker(['127.0.0.1']),
    (incoming, response) => api.app.routing(incoming, response),
    () => 'https://localhost:8443',
  );
  await new Promise<void>((resolve) => plain.listen(0, resolve));
});
afterAll(async () => {
  plain.close();
  await api.close();
});

function ask(headers: Record<string, string>, path = '/v1/devices'): Promise<{ status: number; json: unknown }> {
  const { port } = plain.address() as { port: number };
  return new Promise((resolve, reject) => {
    request(
      { port, host: '127.0.0.1', path, headers: { authorization: `Bearer ${user.key}`, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) }));
      },
    )
      .on('error', reject)
      .end();
  });
}
const required = { status: 403, json: createExpectedErrorBody('httpsRequired') };

test('a request that a trusted proxy forwards from HTTPS is served on the plain port', async () => {
  expect(await ask({ 'x-forwarded-proto': 'https' })).toEqual({ status: 200, json: [] });
  expect(await ask({ 'x-forwarded-proto': 'http' })).toEqual(required);
  expect(await ask({})).toEqual(required);
});

test('a request that a trusted proxy forwards from plain HTTP is refused on the HTTPS port before its key is read', async () => {
  const { status, json } = await api.send('/v1/devices', { key: user.key, headers: { 'x-forwarded-proto': 'http' } });
  expect({ status, json }).toEqual(required);
  expect((await api.send('/v1/devices', { key: user.key, headers: { 'x-forwarded-proto': 'https' } })).status).toBe(
    200,
  );
});

test('failures count against the address in the proxy’s header', async () => {
  const wrong = (client: string) =>
    ask({
      'x-forwarded-proto': 'https',
      'x-forwarded-for': client,
      authorization: `Bearer eus_live_${'x'.repeat(40)}`,
    });
  for (let index = 0; index < 10; index++) expect((await wrong('203.0.113.7')).status).toBe(401);
  expect((await wrong('203.0.113.7')).status).toBe(429);
  expect((await wrong('203.0.113.8')).status).toBe(401);
});

test('an untrusted client’s own headers have no effect', () => {
  const isTrusted = createTrustedProxyChecker(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']);
  expect(['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1', '192.0.2.1'].map(isTrusted)).toEqual([true, true, true, true]);
  expect(['11.1.2.3', '::1', '192.0.2.2', '127.0.0.1', undefined].map(isTrusted)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(createTrustedProxyChecker([])('127.0.0.1')).toBe(false);
  expect(() => createTrustedProxyChecker(['nonsense'])).toThrow(/TRUST_PROXY: nonsense/);
});
