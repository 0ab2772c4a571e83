import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import {
  buildFrame,
  buildHeaderBlock,
  connectRawHttp2,
  FRAME_FLAGS,
  FRAME_TYPES,
  type RawHttp2Connection,
} from '../../../test/support/http2-frames.ts';
import { openSocket, type ServerAddress, sendRequest } from '../client.ts';
import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe } from '../probe.ts';
import { type AttackedInstallation, pause } from '../world.ts';
import { readResidentMib } from './broker.ts';

const originOf = ({ host, port }: ServerAddress) => `https://${host}:${port}`;

async function session(to: ServerAddress): Promise<ClientHttp2Session> {
  const made = connect(originOf(to), { rejectUnauthorized: false });
  made.on('error', () => {});
  await once(made, 'connect');
  return made;
}

const ask = (over: ClientHttp2Session, path: string, key: string): ClientHttp2Stream =>
  over.request({ ':path': path, authorization: `Bearer ${key}` }).on('error', () => {});

/** Sends 60 requests over each of several connections, and cancels them after a time. */
async function cancel(world: AttackedInstallation, key: string, connections: number, afterMs: number): Promise<void> {
  const all = await Promise.all(Array.from({ length: connections }, () => session(world.target.api)));
  const asked = all.flatMap((one) => Array.from({ length: 60 }, () => ask(one, '/v1/devices', key)));
  await pause(afterMs);
  for (const stream of asked) stream.close(constants.NGHTTP2_CANCEL);
  await pause(50);
  for (const one of all) one.destroy();
}

/**
 * Repeats six concurrent requests until all six succeed. Fails after ten seconds, because cancelled requests must not occupy the service
 * for longer.
 */
async function expectServed(world: AttackedInstallation, key: string): Promise<void> {
  let statuses: number[] = [];
  for (let turn = 0; turn < 40; turn++) {
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.ask('GET', '/v1/devices', { key })));
    statuses = answers.map(({ status }) => status);
    if (statuses.every((status) => status === 200)) return;
    await pause(250);
  }
  assertProbeCondition(false, `ten seconds after they were cancelled requests are answered ${statuses.join(', ')}`);
}

const CANCELLED: readonly Probe[] = [
  defineProbe('sixty GETs over HTTP/2 that are cancelled at once cost their account nothing', async (world) => {
    const { key } = await world.person('homeowner');
    for (const afterMs of [0, 15]) await cancel(world, key, 1, afterMs);
    await expectServed(world, key);
  }),
  defineProbe(
    'thousands of GETs over HTTP/2 that are cancelled at any moment cost their account nothing',
    async (world) => {
      const { key } = await world.person('homeowner');
      for (const afterMs of [0, 2, 5, 10, 15, 30, 60, 120]) await cancel(world, key, 8, afterMs);
      await expectServed(world, key);
    },
    { kind: 'alone' },
  ),
  defineProbe('a connection of HTTP/2 that cancels each request is ended after some 200', async (world) => {
    const raw = await connectRawHttp2(world.target.api.port);
    const begin = (stream: number) =>
      buildFrame(FRAME_TYPES.headers, FRAME_FLAGS.endHeaders | FRAME_FLAGS.endStream, stream, get('/healthz'));
    const reset = (stream: number) =>
      buildFrame(FRAME_TYPES.rst, 0, stream, Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]));
    let cancelled = 0;
    let stream = 1;
    for (; cancelled < 2_000 && !raw.socket.destroyed; cancelled += 10) {
      for (let at = 0; at < 10; at++, stream += 2) raw.write(begin(stream), reset(stream));
      // The client waits for the response to one further request, and then sends the next ten requests.
      raw.write(begin(stream));
      while (!raw.socket.destroyed && !raw.came.some((one) => one.stream === stream)) await pause(2);
      stream += 2;
    }
    raw.socket.destroy();
    assertProbeCondition(cancelled < 300, `it was open after ${cancelled} requests that were cancelled`);
  }),
];

const get = (path: string) =>
  buildHeaderBlock({ ':method': 'GET', ':scheme': 'https', ':authority': 'localhost', ':path': path });
/** The setting SETTINGS_INITIAL_WINDOW_SIZE with the value 0: the client accepts only the headers of a response, and no body. */
const NO_WINDOW = Buffer.from([0, 4, 0, 0, 0, 0]);
/** Path of the longest response that the API returns without a key. */
const LONG = '/v1/openapi.json';

/** Opens connections that each send a hundred requests and read no response bodies. */
async function readNothing(world: AttackedInstallation, connections: number): Promise<RawHttp2Connection[]> {
  const raws = await Promise.all(
    Array.from({ length: connections }, () => connectRawHttp2(world.target.api.port, NO_WINDOW)),
  );
  for (const raw of raws)
    for (let stream = 1; stream < 200; stream += 2)
      raw.write(buildFrame(FRAME_TYPES.headers, FRAME_FLAGS.endHeaders | FRAME_FLAGS.endStream, stream, get(LONG)));
  return raws;
}

/** Reads a response over HTTP/1.1 at a tenth of a MiB every 100 ms. Returns the number of bytes received. */
async function readSlowly(world: AttackedInstallation): Promise<number> {
  const socket = openSocket(world.target.api, 'tls');
  socket.write(`GET ${LONG} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let bytes = 0;
  socket.on('data', (data) => {
    bytes += data.length;
    socket.pause();
    setTimeout(() => socket.resume(), (100 * data.length) / 100_000);
  });
  await once(socket, 'close');
  return bytes;
}

const UNREAD: readonly Probe[] = [
  defineProbe(
    'of a hundred answers that a connection without a key does not take most are broken off',
    async (world) => {
      const [raw] = (await readNothing(world, 1)) as [RawHttp2Connection];
      const broken = () => raw.came.filter(({ type }) => type === FRAME_TYPES.rst).length;
      for (let turn = 0; turn < 100 && broken() < 80; turn++) await pause(100);
      const length = (await sendRequest(world.target.api, 'GET', LONG)).bytes.length;
      const slowBytes = await readSlowly(world);
      raw.socket.destroy();
      assertProbeCondition(broken() >= 80, `${broken()} were broken off within ten seconds`);
      assertProbeCondition(slowBytes > length, `a client that reads slowly got ${slowBytes} bytes of ${length}`);
    },
  ),
  defineProbe(
    'sixty connections without a key that take nothing fill no memory, and a slow reader has its answer',
    async (world) => {
      const before = readResidentMib(world, 'api');
      const raws = await readNothing(world, 60);
      let most = 0;
      for (let turn = 0; turn < 60; turn++) {
        most = Math.max(most, readResidentMib(world, 'api'));
        await pause(100);
      }
      const length = (await sendRequest(world.target.api, 'GET', LONG)).bytes.length;
      const slowBytes = await readSlowly(world);
      for (const { socket } of raws) socket.destroy();
      assertProbeCondition(most - before < 250, `the API grew by ${Math.round(most - before)} MiB`);
      assertProbeCondition(slowBytes > length, `a client that reads slowly got ${slowBytes} bytes of ${length}`);
    },
    { kind: 'alone', needs: ['dataDir'] },
  ),
];

/** Opens streams of live readings over one connection. Returns the streams' statuses, and a function that ends the streams. */
async function openLiveStreams(world: AttackedInstallation, key: string, streams: number) {
  const over = await session(world.target.api);
  const statuses = await Promise.all(
    Array.from({ length: streams }, async () => {
      const [headers] = await Promise.race([
        once(ask(over, '/v1/usage/stream', key), 'response'),
        pause(10_000).then(() => [{}]),
      ]);
      return Number(headers[':status'] ?? 0);
    }),
  );
  return { opened: statuses.filter((status) => status === 200).length, statuses, end: () => over.destroy() };
}

const STREAMS: readonly Probe[] = [
  defineProbe(
    'live streams of one home leave room for another home of its utility, and its own requests',
    async (world) => {
      const utility = await world.person('utility');
      const homes = [1, 2].map(() => world.person('homeowner', { enrolledBy: utility }));
      const [hog, other] = await Promise.all(homes);
      const hogged = await openLiveStreams(world, hog?.key ?? '', 60);
      const stayed = await openLiveStreams(world, other?.key ?? '', 1);
      const { status } = await world.ask('GET', '/v1/devices', { key: hog?.key });
      hogged.end();
      stayed.end();
      expectAllowedValue(hogged.opened, [20], 'streams of one account that were opened');
      expectAllowedValue(stayed.opened, [1], 'a stream of another home');
      expectAllowedValue(status, [200], 'GET /v1/devices of the account with streams');
    },
  ),
  defineProbe(
    'live streams of all homes of a utility leave room for a home of nobody’s',
    async (world) => {
      const utility = await world.person('utility');
      const all: Awaited<ReturnType<typeof openLiveStreams>>[] = [];
      for (let home = 0; home < 28; home++) {
        const { key } = await world.person('homeowner', { enrolledBy: utility });
        all.push(await openLiveStreams(world, key, 20));
      }
      const apart = await openLiveStreams(world, (await world.person('homeowner')).key, 1);
      for (const { end } of [...all, apart]) end();
      const opened = all.reduce((sum, one) => sum + one.opened, 0);
      assertProbeCondition(opened >= 400 && opened <= 500, `${opened} streams of the utility’s homes were opened`);
      expectAllowedValue(apart.statuses[0], [200], 'a stream of another home');
    },
    { kind: 'alone' },
  ),
];

export const CANCELLED_REQUEST_PROBES: readonly Probe[] = [...CANCELLED, ...UNREAD, ...STREAMS];
