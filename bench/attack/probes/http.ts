import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import {
  type HttpResponse,
  measureMsUntilClosed,
  openSocket,
  type ServerAddress,
  sendBytesAndReadResponse,
  sendRequest,
} from '../client.ts';
import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe, ProbeFailedError } from '../probe.ts';
import { type AttackedInstallation, pause } from '../world.ts';

const request = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const CLOSE = 'Connection: close';
const raw = (world: AttackedInstallation, ...lines: string[]) =>
  sendBytesAndReadResponse(world.target.api, 'tls', request(...lines));

/** Fails unless a response is an error in the usual form: JSON with the error's status. */
function expectError({ status, json, text }: HttpResponse, allowed: readonly number[], what: string): void {
  expectAllowedValue(status, allowed, what);
  const isOurs = typeof json?.error === 'string' && json.status === status;
  assertProbeCondition(isOurs, `${what}: the body is no error of the interface: ${text.slice(0, 60) || '(empty)'}`);
}

const served = async (world: AttackedInstallation, what: string) =>
  expectAllowedValue((await world.ask('GET', '/healthz')).status, [200], `GET /healthz after ${what}`);

const PROTOCOL: readonly Probe[] = [
  defineProbe('a missing Host is answered in JSON', async (world) =>
    expectError(await raw(world, 'GET /healthz HTTP/1.1', CLOSE), [400], 'no Host'),
  ),
  defineProbe('a strange Expect is answered in JSON', async (world) =>
    expectError(
      await raw(world, 'GET /healthz HTTP/1.1', 'Host: x', 'Expect: 200-maybe', CLOSE),
      [400],
      'Expect: 200-maybe',
    ),
  ),
  defineProbe('a target in absolute form is served', async (world) => {
    const { status } = await raw(world, 'GET https://elsewhere.example/healthz HTTP/1.1', 'Host: x', CLOSE);
    expectAllowedValue(status, [200], 'GET https://elsewhere.example/healthz');
  }),
  defineProbe('a target in absolute form is no way past the key', async (world) => {
    const { status } = await raw(world, 'GET https://elsewhere.example/v1/devices HTTP/1.1', 'Host: x', CLOSE);
    expectAllowedValue(status, [401], 'GET https://elsewhere.example/v1/devices');
  }),
  defineProbe('a request with two lengths is refused: nothing is smuggled behind it', async (world) => {
    const second = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const lengths of [
      ['Content-Length: 0', `Content-Length: ${second.length}`],
      ['Transfer-Encoding: chunked', `Content-Length: 4`],
      ['Transfer-Encoding: xchunked', `Content-Length: ${second.length}`],
    ]) {
      const { status, text } = await sendBytesAndReadResponse(
        world.target.api,
        'tls',
        `${request('POST /v1/keys HTTP/1.1', 'Host: x', ...lengths)}${second}`,
        2_000,
      );
      expectAllowedValue(status, [400], lengths.join(' and '));
      assertProbeCondition(!text.includes('HTTP/1.1 200'), `${lengths.join(' and ')}: what was behind it was served`);
    }
  }),
  defineProbe('a head of 100 KB is refused in JSON', async (world) =>
    expectError(await raw(world, 'GET /healthz HTTP/1.1', 'Host: x', `X: ${'x'.repeat(100_000)}`), [400], 'X: …'),
  ),
  defineProbe('bytes that are no HTTP get 400 in JSON, or an end', async (world) => {
    for (const bytes of [
      '\x00\xff\x00\xff\r\n\r\n',
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]) {
      const answer = await sendBytesAndReadResponse(world.target.api, 'tls', bytes, 2_000);
      if (answer.status !== 0) expectError(answer, [400], JSON.stringify(bytes.slice(0, 20)));
    }
    await served(world, 'bytes that are no HTTP');
  }),
  defineProbe('paths do not climb out of where they are', async (world) => {
    for (const path of [
      '/docs/../package.json',
      '/docs/..%2fpackage.json',
      '/docs/%2e%2e/%2e%2e/package.json',
      '/dashboard/..%5c..%5cpackage.json',
      '/docs/%00',
      '/dashboard//etc/passwd',
    ]) {
      const { status, text } = await raw(world, `GET ${path} HTTP/1.1`, 'Host: x', CLOSE);
      assertProbeCondition(!/"dependencies"|root:/.test(text), `${path} shows a file`);
      expectAllowedValue(status, [400, 404], path);
    }
  }),
  defineProbe('a method that a path does not know is 404 with Allow, TRACE too', async (world) => {
    const { key } = await world.person('homeowner');
    for (const method of ['TRACE', 'PUT', 'OPTIONS', 'PROPFIND']) {
      const answer = await world.ask(method, '/v1/devices', { key });
      expectAllowedValue(answer.status, [404], `${method} /v1/devices`);
      assertProbeCondition(
        /GET/.test(String(answer.headers.allow)),
        `${method} /v1/devices: Allow is ${answer.headers.allow}`,
      );
    }
  }),
  defineProbe('CORS is off unless it is asked for', async (world) => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const { key } = await world.person('homeowner');
    for (const [method, path] of [
      ['OPTIONS', '/v1/devices'],
      ['GET', '/v1/devices'],
      ['GET', '/dashboard/session'],
      ['GET', '/healthz'],
    ] as const) {
      const { headers: answerHeaders } = await world.ask(method, path, { key, headers });
      const granted = answerHeaders['access-control-allow-origin'];
      assertProbeCondition(granted === undefined, `${method} ${path}: Access-Control-Allow-Origin is ${granted}`);
    }
  }),
  defineProbe('every answer forbids browsers to misuse it', async (world) => {
    for (const path of ['/healthz', '/v1/users/x', '/nowhere', '/v1/openapi.json', '/dashboard', '/docs']) {
      const { headers } = await world.ask('GET', path);
      assertProbeCondition(/max-age=\d{7}/.test(String(headers['strict-transport-security'])), `${path} has no HSTS`);
      assertProbeCondition(headers['x-content-type-options'] === 'nosniff', `${path} has no nosniff`);
      const policy = String(headers['content-security-policy']);
      assertProbeCondition(/default-src 'none'/.test(policy), `${path} has the policy ${policy}`);
    }
  }),
  defineProbe('a key in a query or a cookie is none', async (world) => {
    const { key } = await world.person('homeowner');
    for (const name of ['api_key', 'access_token', 'key', 'authorization'])
      expectAllowedValue((await world.ask('GET', `/v1/devices?${name}=${key}`)).status, [401], `?${name}=`);
    const headers = { cookie: `key=${key}`, 'x-api-key': key };
    expectAllowedValue((await world.ask('GET', '/v1/devices', { headers })).status, [401], 'Cookie and X-API-Key');
  }),
  defineProbe('a method in a header changes no method', async (world) => {
    const owner = await world.person('homeowner');
    const device = await world.device(owner);
    const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    await world.ask('GET', `/v1/devices/${device.deviceId}`, { key: owner.key, headers });
    const { status } = await world.ask('GET', `/v1/devices/${device.deviceId}`, { key: owner.key });
    expectAllowedValue(status, [200], 'the device afterwards');
  }),
  defineProbe('/ leads to the dashboard', async (world) => {
    const { status, headers } = await world.ask('GET', '/', { headers: { accept: 'text/html' } });
    expectAllowedValue(status, [301, 302, 303, 307, 308], 'GET /');
    assertProbeCondition(String(headers.location).startsWith('/dashboard'), `it leads to ${headers.location}`);
  }),
  defineProbe('the certificate can be downloaded, and the key not with it', async (world) => {
    const { status, text } = await world.ask('GET', '/certificate.pem');
    expectAllowedValue(status, [200], 'GET /certificate.pem');
    assertProbeCondition(text.includes('BEGIN CERTIFICATE') && !text.includes('PRIVATE'), 'it is no certificate alone');
  }),
  defineProbe('HTTP/2 is spoken', async (world) => {
    const socket = openSocket(world.target.api, 'tls', { ALPNProtocols: ['h2', 'http/1.1'] }) as TLSSocket;
    const protocol = await new Promise((resolve) => {
      socket.once('secureConnect', () => resolve(socket.alpnProtocol));
      socket.once('close', () => resolve('nothing'));
    });
    socket.destroy();
    assertProbeCondition(protocol === 'h2', `the server chose ${protocol || 'no protocol'} of h2 and http/1.1`);
  }),
];

/** Whether a TLS handshake with these options succeeds. */
async function handshakes(to: ServerAddress, options: object): Promise<boolean> {
  const socket = openSocket(to, 'tls', options) as TLSSocket;
  const succeeded = await new Promise<boolean>((resolve) => {
    socket.once('secureConnect', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  socket.destroy();
  return succeeded;
}

const WITHOUT_AEAD =
  'ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:AES128-SHA:@SECLEVEL=0';

const TLS: readonly Probe[] = (['api', 'mqtts'] as const).flatMap((port) => {
  const needs = port === 'api' ? {} : ({ needs: ['mqtts'] } as const);
  const where = port === 'api' ? 'the API' : 'the broker';
  const at = (world: AttackedInstallation) => world.target[port] as ServerAddress;
  return [
    defineProbe(
      `${where} speaks TLS 1.2 and 1.3, and no TLS 1.1`,
      async (world) => {
        const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' };
        assertProbeCondition(!(await handshakes(at(world), old)), 'TLS 1.1 was spoken');
        for (const version of ['TLSv1.2', 'TLSv1.3'])
          assertProbeCondition(
            await handshakes(at(world), { minVersion: version, maxVersion: version }),
            `no ${version}`,
          );
      },
      needs,
    ),
    defineProbe(
      `${where} takes no cipher without authenticated encryption`,
      async (world) => {
        const cbc = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: WITHOUT_AEAD };
        assertProbeCondition(!(await handshakes(at(world), cbc)), 'a CBC cipher of TLS 1.2 was taken');
      },
      needs,
    ),
    defineProbe(
      `the certificate of ${where} is no authority that could sign others`,
      async (world) => {
        const socket = openSocket(at(world), 'tls') as TLSSocket;
        await new Promise((resolve) => socket.once('secureConnect', resolve));
        const { raw: bytes } = socket.getPeerCertificate();
        socket.destroy();
        assertProbeCondition(!new X509Certificate(bytes).ca, 'basicConstraints says CA:TRUE');
      },
      needs,
    ),
  ];
});

const PLAIN: readonly Probe[] = [
  defineProbe(
    'plain HTTP refuses everything, and takes no word for TLS from strangers',
    async (world) => {
      const to = world.target.plainHttp as ServerAddress;
      const { key } = await world.person('homeowner');
      for (const header of ['X: x', 'X-Forwarded-Proto: https', 'Forwarded: proto=https', 'Front-End-Https: on']) {
        const lines = ['GET /v1/devices HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, header, CLOSE];
        expectError(await sendBytesAndReadResponse(to, 'tcp', request(...lines)), [403], header);
      }
    },
    { needs: ['plainHttp'] },
  ),
  defineProbe(
    'plain HTTP without Host, or with a strange Expect, is refused in JSON',
    async (world) => {
      const to = world.target.plainHttp as ServerAddress;
      expectError(await sendBytesAndReadResponse(to, 'tcp', request('GET / HTTP/1.1', CLOSE)), [400, 403], 'no Host');
      const strange = request('GET / HTTP/1.1', 'Host: x', 'Expect: x', CLOSE);
      expectError(await sendBytesAndReadResponse(to, 'tcp', strange), [400, 403], 'Expect: x');
    },
    { needs: ['plainHttp'] },
  ),
];

const HEAD = (key: string, length: number) =>
  `${request('POST /v1/keys HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json', `Content-Length: ${length}`)}`;

/**
 * Kinds of connections that stay open without completing a request, and the maximum time after which the server must close each of them.
 */
const HOLDERS: readonly {
  name: string;
  layer: 'tcp' | 'tls';
  withinS: number;
  begin?: (key: string) => string;
  /** Bytes that the attacker sends once a second while the connection is open. */
  drip?: string;
}[] = [
  { name: 'a TCP socket that never says anything', layer: 'tcp', withinS: 15 },
  { name: 'plain HTTP on the TLS port', layer: 'tcp', withinS: 15, begin: () => request('GET / HTTP/1.1', 'Host: x') },
  { name: 'half of a TLS hello', layer: 'tcp', withinS: 15, begin: () => '\x16\x03\x01\x02\x00\x01\x00' },
  { name: 'a TLS socket that never asks', layer: 'tls', withinS: 25 },
  {
    name: 'a head that drips',
    layer: 'tls',
    withinS: 25,
    begin: () => 'GET / HTTP/1.1\r\nHost: x\r\n',
    drip: 'X: y\r\n',
  },
  { name: 'a body that never comes', layer: 'tls', withinS: 40, begin: (key) => HEAD(key, 100) },
  { name: 'a body that drips', layer: 'tls', withinS: 40, begin: (key) => HEAD(key, 100_000), drip: ' ' },
];

const WAITING: readonly Probe[] = [
  ...HOLDERS.map(({ name, layer, withinS, begin, drip }) =>
    defineProbe(
      `${name} is ended within ${withinS} s`,
      async (world) => {
        const { key } = await world.person('homeowner');
        const socket = openSocket(world.target.api, layer);
        if (begin) socket.write(Buffer.from(begin(key), 'latin1'));
        const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), 1_000);
        const ms = await measureMsUntilClosed(socket, (withinS + 5) * 1_000);
        clearInterval(dripping);
        assertProbeCondition(ms !== null, `it was still open after ${withinS + 5} s`);
        assertProbeCondition(ms <= withinS * 1_000, `it was open for ${(ms / 1_000).toFixed(1)} s`);
      },
      { kind: 'waits' },
    ),
  ),
  defineProbe(
    'plain HTTP ends a socket that never asks within 75 s',
    async (world) => {
      const ms = await measureMsUntilClosed(openSocket(world.target.plainHttp as ServerAddress, 'tcp'), 75_000);
      assertProbeCondition(ms !== null, 'it was still open after 75 s');
    },
    { kind: 'waits', needs: ['plainHttp'] },
  ),
  defineProbe(
    'three hundred sockets that ask nothing keep nobody from an answer',
    async (world) => {
      const { api } = world.target;
      const { key } = await world.person('homeowner');
      const sockets = Array.from({ length: 300 }, (_, index) => {
        const socket = openSocket(api, index % 3 === 0 ? 'tcp' : 'tls');
        if (index % 3 === 1) socket.write(HEAD(key, 100));
        return socket;
      });
      await pause(1_000);
      const fromMs = performance.now();
      const { status } = await sendRequest(api, 'GET', '/v1/devices', { key: world.target.adminKey });
      const ms = performance.now() - fromMs;
      for (const socket of sockets) socket.destroy();
      expectAllowedValue(status, [200], 'GET /v1/devices');
      if (ms > 2_000) throw new ProbeFailedError(`it took ${Math.round(ms)} ms`);
    },
    { kind: 'alone' },
  ),
];

export const HTTP_PROBES: readonly Probe[] = [...PROTOCOL, ...TLS, ...PLAIN, ...WAITING];
