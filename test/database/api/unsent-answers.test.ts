import { once } from 'node:events';
import { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { buildFrame, buildHeaderBlock, connectRawHttp2, FRAME_FLAGS, FRAME_TYPES } from '#test/support/http2-frames.ts';

const MIB = 1_048_576;

let api: TestApi;
/** Memory in bytes that the responses to /own occupy. Each response has its own buffer. */
let owned = 0;
let asked = 0;
beforeAll(async () => {
  api = await startTestApi({
    beforeListening(app) {
      app.get('/own', async (_request, reply) => {
        asked++;
        owned += MIB;
        reply.raw.once('close', () => {
          owned -= MIB;
        });
        return Buffer.alloc(MIB, 'x');
      });
      app.get('/v1/archive', async (_request, reply) =>
        reply.send(
          Readable.from(
            (function* () {
              for (let page = 0; page < 40; page++) yield 'x'.repeat(100_000);
            })(),
          ),
        ),
      );
    },
  });
});
afterAll(() => api.close());

/** Setting SETTINGS_INITIAL_WINDOW_SIZE = 0: the client accepts the headers of a response, but no data. */
const NO_WINDOW = Buffer.from([0, 4, 0, 0, 0, 0]);
const request = (path: string) =>
  buildHeaderBlock({ ':method': 'GET', ':scheme': 'https', ':authority': 'localhost', ':path': path });

async function takeNothing(path: string, connections: number): Promise<Awaited<ReturnType<typeof connectRawHttp2>>[]> {
  const raws = await Promise.all(Array.from({ length: connections }, () => connectRawHttp2(api.port, NO_WINDOW)));
  for (const raw of raws)
    for (let stream = 1; stream < 200; stream += 2)
      raw.write(buildFrame(FRAME_TYPES.headers, FRAME_FLAGS.endHeaders | FRAME_FLAGS.endStream, stream, request(path)));
  return raws;
}

test('HTTP/2 connections that read none of a hundred answers use a few MiB each, and do not slow other readers', async () => {
  const { key } = await api.user('homeowner');
  const slow = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(slow, 'secureConnect');
  slow.write(`GET /v1/archive HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`);
  await once(slow, 'readable');
  const one = await takeNothing('/own', 1);
  await expect.poll(() => one[0]?.came.filter(({ type }) => type === FRAME_TYPES.rst).length).toBeGreaterThan(90);
  expect(owned).toBeLessThanOrEqual(4 * MIB);
  const many = await takeNothing('/own', 10);
  await expect.poll(() => many.every(({ came }) => came.some(({ type }) => type === FRAME_TYPES.rst))).toBe(true);
  expect(owned).toBeLessThanOrEqual(32 * MIB);
  // Another client at the same IP address can read its response normally.
  expect((await api.send('/own')).bytes.length).toBe(MIB);
  let bytes = 0;
  slow.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await once(slow, 'end');
  expect(bytes).toBeGreaterThan(4_000_000);
  for (const { socket } of [...one, ...many]) socket.destroy();
  await expect.poll(() => owned).toBe(0);
});

test('an HTTP/1.1 connection that sends hundreds of requests and reads nothing is closed', async () => {
  const open = () => new Promise<number>((resolve) => api.app.server.getConnections((_error, count) => resolve(count)));
  await expect.poll(open).toBe(0);
  const before = asked;
  const socket = connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.pause();
  socket.write('GET /own HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
  await expect.poll(() => asked).toBeGreaterThan(before + 4);
  await expect.poll(open).toBe(0);
  expect((await api.send('/healthz')).status).toBe(200);
  socket.destroy();
});
