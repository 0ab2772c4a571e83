import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExpectedErrorBody, startTestApi, type TestApi } from '#test/support/api.ts';
import {
  buildFrame,
  buildHeaderBlock,
  connectRawHttp2,
  FRAME_FLAGS,
  FRAME_TYPES,
  type RawHttp2Connection,
} from '#test/support/http2-frames.ts';

/** Time limits short enough for a test, and long enough for a machine under load. */
const PATIENCE = { headersTimeout: 2_000, requestTimeout: 2_000, keepAliveTimeout: 2_000, unreadTimeout: 2_000 };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let api: TestApi;
let person: { userId: string; key: string };
const written: string[] = [];
let slowRequests = 0;
let resetRequests = 0;
/** Responds to all pending requests for the route /slow of this test. */
let answerSlow = () => {};
beforeAll(async () => {
  const slow = new Promise<void>((resolve) => {
    answerSlow = resolve;
  });
  api = await startTestApi({
    patience: PATIENCE,
    beforeListening(app) {
      app.addHook('onResponse', async (request) => void written.push(`${request.url} ${request.ip}`));
      app.get('/slow', () => {
        slowRequests++;
        return slow.then(() => 'done');
      });
      app.get('/reset', () => {
        resetRequests++;
        return slow;
      });
      app.get('/large', () => 'x'.repeat(12_000_000));
      app.get('/breaks', async (_request, reply) =>
        reply.send(
          Readable.from(
            (async function* () {
              yield 'the first half';
              await pause(200);
              throw new Error('the other half is not to be had');
            })(),
          ),
        ),
      );
    },
  });
  person = await api.user('admin');
});
afterAll(() => api.close());

async function open(): Promise<ClientHttp2Session> {
  const session = connect(`https://localhost:${api.port}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  await once(session, 'connect');
  return session;
}

/** Returns the first received frame of a type, or undefined if none arrives. */
async function firstFrame(raw: RawHttp2Connection, wanted: number) {
  const find = () => raw.came.find(({ type }) => type === wanted);
  for (let turn = 0; turn < 500 && !find(); turn++) await pause(10);
  return find();
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Error code of RST_STREAM; 0 if the stream ended normally. */
  code: number;
}

/** Sends one request. If there is a `body`, sends it, and then ends the stream unless `isOpen` is true. */
function ask(session: ClientHttp2Session, headers: Record<string, string>, body?: string, isOpen = false) {
  const stream = session.request({ ':path': '/', ...headers }, { endStream: body === undefined });
  if (body !== undefined) isOpen ? stream.write(body) : stream.end(body);
  const answer = new Promise<Answer>((resolve) => {
    let got: IncomingHttpHeaders = {};
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (all) => {
      got = all;
    });
    stream.on('data', (chunk) => {
      text += chunk;
    });
    stream.on('error', () => {});
    stream.on('close', () =>
      resolve({ status: Number(got[':status'] ?? 0), headers: got, text, code: stream.rstCode ?? 0 }),
    );
  });
  return { stream, answer };
}
const get = async (path: string, headers: Record<string, string> = {}) => {
  const session = await open();
  const answer = await ask(session, { ':path': path, ...headers }).answer;
  session.close();
  return answer;
};
const bearer = () => ({ authorization: `Bearer ${person.key}` });
const post = () => ({ ':method': 'POST', 'content-type': 'application/json', ...bearer() });
const gateways = async () => (await api.send('/v1/gateways?limit=200', { key: person.key })).json.length;

describe('over HTTP/2 and HTTP/1.1 alike', () => {
  test('a client that negotiates no protocol gets HTTP/1.1, and answers have the same headers', async () => {
    const old = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(old, 'secureConnect');
    expect(old.alpnProtocol).toBe(false);
    old.end('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(String(await once(old, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
    const path = '/v1/devices?limit=1';
    const [first, second] = [await api.send(path, { key: person.key }), await get(path, bearer())];
    expect([first.status, second.status]).toEqual([200, 200]);
    const names = (headers: object) =>
      Object.keys(headers).filter((name) => !/^:|^(connection|keep-alive)$/.test(name));
    expect(names(second.headers).toSorted()).toEqual(names(first.headers).toSorted());
    expect(second.headers).toMatchObject({
      'strict-transport-security': expect.any(String),
      ratelimit: expect.any(String),
    });
    expect(JSON.parse((await get('/v1/devices')).text)).toEqual(createExpectedErrorBody('unauthorized'));
  });

  test('a request without a host, with two, with an unknown Expect, or for a tunnel is refused in JSON', async () => {
    const raw = await connectRawHttp2(api.port);
    const pseudo = { ':method': 'GET', ':scheme': 'https', ':path': '/healthz' };
    raw.write(
      buildFrame(FRAME_TYPES.headers, FRAME_FLAGS.endHeaders | FRAME_FLAGS.endStream, 1, buildHeaderBlock(pseudo)),
    );
    // nghttp2 itself refuses this malformed request (RFC 9113, 8.3.1), so the service never receives it.
    expect(await firstFrame(raw, FRAME_TYPES.rst)).toMatchObject({ stream: 1, code: constants.NGHTTP2_PROTOCOL_ERROR });
    raw.socket.destroy();
    const details = async (headers: Record<string, string>) => {
      const { status, text } = await get('/healthz', headers);
      return { status, field: JSON.parse(text).details?.[0].field };
    };
    expect(await details({ ':authority': 'a.example', host: 'b.example' })).toEqual({ status: 400, field: 'Host' });
    expect(await details({ expect: '200-maybe' })).toEqual({ status: 400, field: 'Expect' });
    const session = await open();
    const { answer } = ask(
      session,
      { ':path': '/v1/gateways', ...post(), expect: '100-Continue' },
      '{"name":"continued"}',
    );
    expect((await answer).status).toBe(201);
    const tunnel = session.request({ ':method': 'CONNECT', ':authority': 'x:1' });
    const [headers] = await once(tunnel, 'response');
    expect(headers[':status']).toBe(404);
    session.destroy();
  });

  test('a late body is 400, and its connection serves other requests', async () => {
    const session = await open();
    const late = ask(session, { ':path': '/v1/gateways', ...post() }, '{"name":', true);
    expect((await ask(session, { ':path': '/healthz' }).answer).status).toBe(200);
    const { status, text } = await late.answer;
    expect({ status, json: JSON.parse(text) }).toEqual({ status: 400, json: createExpectedErrorBody('badRequest') });
    expect((await ask(session, { ':path': '/healthz' }).answer).status).toBe(200);
    session.destroy();
  });

  test('an aborted request changes nothing, even if all of its bytes arrived', async () => {
    const before = await gateways();
    // Node's client would end a stream before resetting it, so the test writes raw frames.
    const raw = await connectRawHttp2(api.port);
    const head = { ':method': 'POST', ':scheme': 'https', ':authority': 'x', ':path': '/v1/gateways' };
    raw.write(
      buildFrame(
        FRAME_TYPES.headers,
        FRAME_FLAGS.endHeaders,
        1,
        buildHeaderBlock({ ...head, 'content-type': 'application/json', ...bearer() }),
      ),
      buildFrame(FRAME_TYPES.data, 0, 1, Buffer.from('{"name":"given up"}')),
    );
    await pause(300);
    raw.write(buildFrame(FRAME_TYPES.rst, 0, 1, Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL])));
    await pause(500);
    expect(raw.socket.destroyed).toBe(false);
    raw.socket.destroy();
    expect(await gateways()).toBe(before);
  });

  test('a client can detect an interrupted response', async () => {
    const { text, code } = await get('/breaks');
    expect({ text, code }).toEqual({ text: 'the first half', code: constants.NGHTTP2_INTERNAL_ERROR });
    const old = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
    old.on('error', () => {});
    old.write('GET /breaks HTTP/1.1\r\nHost: x\r\n\r\n');
    let bytes = '';
    old.on('data', (chunk) => {
      bytes += chunk;
    });
    await once(old, 'close');
    expect(bytes).toMatch(/^HTTP\/1\.1 200 /);
    expect(bytes).not.toContain('\r\n0\r\n');
  });

  test('the rest of an unread body is dropped after the response', async () => {
    const session = await open();
    const { stream, answer } = ask(session, { ':path': '/v1/gateways', ':method': 'POST' }, 'x'.repeat(60_000), true);
    expect((await answer).status).toBe(401);
    expect(stream.destroyed).toBe(true);
    session.destroy();
  });

  test('an answer that the client does not read is aborted', async () => {
    const session = await open();
    const stream = session.request({ ':path': '/large' });
    stream.on('error', () => {});
    await once(stream, 'response');
    stream.pause();
    const old = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
    old.on('error', () => {});
    old.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(old, 'readable');
    const held = () =>
      new Promise<number>((resolve) => api.app.server.getConnections((_error, count) => resolve(count)));
    await once(stream, 'close');
    session.destroy();
    // The client does not read, so it cannot notice the end of the response.
    const fromMs = performance.now();
    while ((await held()) > 0 && performance.now() - fromMs < 15_000) await pause(50);
    expect(await held()).toBe(0);
    old.destroy();
  });

  test('the log contains the account of a request, aborted or not', async () => {
    await get('/healthz?logged');
    const session = await open();
    const { stream } = ask(session, { ':path': '/v1/gateways?logged', ...post() }, '{', true);
    await pause(300);
    stream.close(constants.NGHTTP2_CANCEL);
    const lines = () => written.filter((line) => line.includes('?logged'));
    for (let turn = 0; turn < 100 && lines().length < 2; turn++) await pause(50);
    session.destroy();
    expect(lines()).toEqual(['/healthz?logged 127.0.0.1', '/v1/gateways?logged 127.0.0.1']);
  });
});

describe('an HTTP/2 connection', () => {
  const request = (path: string, more: Record<string, string> = {}) =>
    buildHeaderBlock({ ':method': 'GET', ':scheme': 'https', ':authority': 'localhost', ':path': path, ...more });
  const whole = FRAME_FLAGS.endHeaders | FRAME_FLAGS.endStream;
  /** Expects the connection to end within `withinMs`, while the API still answers requests on other connections. */
  async function ended(raw: RawHttp2Connection, withinMs: number): Promise<void> {
    const from = performance.now();
    expect((await api.send('/healthz')).status).toBe(200);
    await raw.closed;
    expect(performance.now() - from).toBeLessThan(withinMs);
  }

  test('runs at most a hundred requests at once, of a thousand', async () => {
    const raw = await connectRawHttp2(api.port);
    const before = slowRequests;
    const streams = Array.from({ length: 1_000 }, (_, index) => 2 * index + 1);
    raw.write(...streams.map((stream) => buildFrame(FRAME_TYPES.headers, whole, stream, request('/slow'))));
    const refused = () =>
      raw.came.filter(({ type, code }) => type === FRAME_TYPES.rst && code === constants.NGHTTP2_REFUSED_STREAM).length;
    // A client that has acknowledged the limit of concurrent streams and exceeds it loses its connection.
    for (let turn = 0; turn < 500 && refused() < 900 && !raw.socket.destroyed; turn++) await pause(20);
    expect(refused() === 900 || raw.socket.destroyed).toBe(true);
    expect(slowRequests - before).toBeLessThanOrEqual(100);
    expect((await api.send('/healthz')).status).toBe(200);
    raw.socket.destroy();
  });

  test('ends if it opens streams only to reset them', async () => {
    const raw = await connectRawHttp2(api.port);
    for (let stream = 1; stream < 20_000; stream += 2)
      raw.write(
        buildFrame(FRAME_TYPES.headers, whole, stream, request('/reset')),
        buildFrame(FRAME_TYPES.rst, 0, stream, Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL])),
      );
    await ended(raw, 10_000);
    // Some more requests may have started, because the server had already received their bytes.
    expect(resetRequests).toBeLessThan(400);
  });

  test('ends if it resets streams that are already answered', async () => {
    for (const code of [constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR]) {
      const raw = await connectRawHttp2(api.port);
      const begin = (stream: number) => buildFrame(FRAME_TYPES.headers, whole, stream, request('/healthz'));
      let [stream, resets] = [1, 0];
      for (; resets < 600 && !raw.socket.destroyed; resets += 10) {
        for (let at = 0; at < 10; at++, stream += 2)
          raw.write(begin(stream), buildFrame(FRAME_TYPES.rst, 0, stream, Buffer.from([0, 0, 0, code])));
        // Waits until the server has processed these ten requests before the next ten are sent.
        raw.write(begin(stream));
        await expect.poll(() => raw.socket.destroyed || raw.came.some((one) => one.stream === stream)).toBe(true);
        stream += 2;
      }
      raw.socket.destroy();
      expect(resets).toBeLessThan(300);
    }
  });

  test('serves hundreds of requests that are completed, one after another', async () => {
    const session = await open();
    for (let turn = 0; turn < 300; turn++)
      expect((await ask(session, { ':path': '/healthz' }).answer).status).toBe(200);
    session.destroy();
  });

  test.each([
    ['PING', buildFrame(FRAME_TYPES.ping, 0, 0, Buffer.alloc(8))],
    ['SETTINGS', buildFrame(FRAME_TYPES.settings, 0, 0)],
  ])('ends if it floods with %s', async (_name, one) => {
    const raw = await connectRawHttp2(api.port);
    for (let turn = 0; turn < 20; turn++) raw.write(...Array(100).fill(one));
    await ended(raw, 10_000);
  });

  test('may have no larger headers than HTTP/1.1, whether or not the client has read the setting', async () => {
    const session = await open();
    // Sends a request with an oversized header before the client has acknowledged the server's settings, and another such request
    // afterwards.
    expect([0, 400]).toContain((await ask(session, { ':path': '/healthz', x: 'x'.repeat(17_000) }).answer).status);
    await ask(session, { ':path': '/healthz' }).answer;
    expect([0, 400]).toContain((await ask(session, { ':path': '/healthz', x: 'x'.repeat(17_000) }).answer).status);
    expect((await get('/healthz')).status).toBe(200);
    session.destroy();
  });

  test('ends after silence, half of the headers, nothing after the first request, or only PING', async () => {
    const [silent, half, idle, pinging] = [
      await connectRawHttp2(api.port),
      await connectRawHttp2(api.port),
      await connectRawHttp2(api.port),
      await connectRawHttp2(api.port),
    ] as const;
    half.write(buildFrame(FRAME_TYPES.headers, FRAME_FLAGS.endStream, 1, request('/healthz')));
    idle.write(
      buildFrame(FRAME_TYPES.headers, whole, 1, request('/healthz')),
      buildFrame(FRAME_TYPES.headers, FRAME_FLAGS.endStream, 3, request('/')),
    );
    const timer = setInterval(() => pinging.write(buildFrame(FRAME_TYPES.ping, 0, 0, Buffer.alloc(8))), 200);
    await Promise.all([silent, half, idle, pinging].map((raw) => ended(raw, 15_000)));
    clearInterval(timer);
  });
});

test('when the service stops, running requests get their answers, and no connection remains', async () => {
  const [busy, idle] = [await open(), await open()];
  const before = slowRequests;
  const under = ask(busy, { ':path': '/slow' }).answer;
  await ask(idle, { ':path': '/healthz' }).answer;
  await expect.poll(() => slowRequests).toBe(before + 1);
  const idleEnd = once(idle, 'close');
  const closed = api.app.close();
  await idleEnd;
  answerSlow();
  expect(await under).toMatchObject({ status: 200, text: 'done', code: 0 });
  await closed;
  expect(busy.closed).toBe(true);
});
