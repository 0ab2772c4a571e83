import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeRoutingExceptions } from '#src/start/cells/exceptions.ts';
import { type Router, type RouterGroup, startRouters } from '#test/support/cluster/router.ts';
import { type LocalCertificate, makeLocalCertificate } from '#test/support/local-certificate.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';

/** The router with its deployed configuration, and two servers behind it. Each server responds with the name of its cell. */
let routers: RouterGroup;
let router: Router;
let pair: LocalCertificate;
let web: Record<'first' | 'c2', Server>;
let brokers: Record<'first' | 'c2', TcpServer>;
/** The cell that received the latest CONNECT with a user name, by user name. */
const connectedTo = new Map<string, string>();

const portOf = (server: Server | TcpServer) => (server.address() as { port: number }).port;
const listen = async <T extends Server | TcpServer>(server: T, port = 0): Promise<T> =>
  new Promise((done) => server.listen(port, '127.0.0.1', () => done(server)));

const webServer = (cell: string) =>
  createServer(pair, (asked, answer) => {
    asked.resume().on('end', () => answer.end(JSON.stringify({ cell, from: asked.headers['x-forwarded-for'] })));
  });
/** A minimal broker: it accepts every CONNECT and answers pings. */
const broker = (cell: string) =>
  createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (connect) => {
      const name = /(dev|gwy)_\w+/.exec(connect.toString('latin1'))?.[0];
      if (name !== undefined) connectedTo.set(name, cell);
      socket.write(Buffer.from([0x20, 2, 0, 0]));
    });
  });

beforeAll(async () => {
  pair = await makeLocalCertificate();
  web = { first: await listen(webServer('first')), c2: await listen(webServer('c2')) };
  brokers = { first: await listen(broker('first')), c2: await listen(broker('c2')) };
  routers = await startRouters({
    tls: pair,
    first: { api: portOf(web.first), mqtt: portOf(brokers.first) },
    c2: { api: portOf(web.c2), mqtt: portOf(brokers.c2) },
  });
  [router] = routers.all;
});
afterAll(async () => {
  await routers?.stop();
  for (const server of [...Object.values(web), ...Object.values(brokers)]) server.close();
});

interface Came {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  cell: string;
}

function ask(
  path: string,
  {
    key,
    cookie,
    provider,
    body,
    cell,
  }: { key?: string; cookie?: string; provider?: string; body?: unknown; cell?: string } = {},
) {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const cookies = [
    ...(cookie === undefined ? [] : [`__Secure-energy_session=${cookie}`]),
    ...(provider === undefined ? [] : [`__Host-energy_provider=${provider}`]),
  ];
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(cookies.length === 0 ? {} : { cookie: `other=1; ${cookies.join('; ')}; last=2` }),
    ...(text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }),
    ...(cell === undefined ? {} : { 'energy-cell': cell }),
  };
  const method = text === undefined ? 'GET' : 'POST';
  const to = {
    host: '127.0.0.1',
    servername: 'localhost',
    port: router.ports.api,
    path,
    ca: pair.cert,
    method,
    headers,
  };
  return new Promise<Came>((done, fail) => {
    const outgoing = request(to, (answer) => {
      let receivedBy = '';
      answer.on('data', (chunk) => {
        receivedBy += chunk;
      });
      answer.on('end', () =>
        done({ status: answer.statusCode ?? 0, headers: answer.headers, cell: JSON.parse(receivedBy).cell }),
      );
    });
    outgoing.on('error', fail);
    outgoing.end(text);
  });
}
const cellOf = async (...given: Parameters<typeof ask>) => (await ask(...given)).cell;

async function connect(username: string): Promise<string | undefined> {
  connectedTo.delete(username);
  for (const protocolVersion of [4, 5] as const) {
    const url = `mqtt://127.0.0.1:${router.ports.mqtt}`;
    // The minimal broker always responds in the format of MQTT 3.1.1, which a client of MQTT 5 may refuse. The test checks only which cell
    // received the CONNECT.
    const client = mqtt.connect(url, { username, password: 'x', protocolVersion, reconnectPeriod: 0 });
    client.on('error', () => {});
    await expect.poll(() => connectedTo.get(username)).toBeDefined();
    await client.endAsync(true);
  }
  return connectedTo.get(username);
}

async function energy(...args: string[]) {
  const env = { PATH: process.env.PATH };
  return new Promise<{ code: number; out: string; err: string }>((done) => {
    execFile(
      process.execPath,
      [TESTED_PROGRAM, 'cells', ...args, '--file', routers.cellsFile],
      { env },
      (error, out, err) => done({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

const RANDOM = 'k'.repeat(42);
const ID = '0'.repeat(26);
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex').toUpperCase();

test('a request is routed to the cell of its key, else of its cookie, else of a mailed token, else to the first cell', async () => {
  await expect.poll(() => cellOf('/v1/users', { key: `eus_live_c2_${RANDOM}` })).toBe('c2');
  expect(await cellOf('/v1/users', { key: `eus_live_${RANDOM}` })).toBe('first');
  // The router selects the cell by the key, not by the account in the path. The cell answers 404 if it does not have the account.
  expect(await cellOf(`/v1/users/usr_c2_${ID}`, { key: `eus_live_${RANDOM}`, cookie: `c2.${RANDOM}` })).toBe('first');
  for (const key of [`eus_live_c9_${RANDOM}`, 'eus_live_', '_'.repeat(50), 'x', `eus_live_api_${RANDOM}`])
    expect(await cellOf('/v1/users', { key })).toBe('first');
  expect(await cellOf('/dashboard/v1/devices', { cookie: `c2.${RANDOM}` })).toBe('c2');
  expect(await cellOf('/dashboard/v1/devices', { cookie: RANDOM })).toBe('first');
  expect(await cellOf('/unsubscribe/c2.alr_0.mac')).toBe('c2');
  expect(await cellOf('/unsubscribe/alr_0.mac')).toBe('first');
  expect(await cellOf('/docs')).toBe('first');
});

test('a sign-in is routed to the cell chosen on the page, and its link or code to the cell that mailed it', async () => {
  const asked = await ask('/dashboard/sign-in', { body: { email: 'a@example.com' } });
  expect(asked.headers).toMatchObject({ 'energy-cell': 'first', 'energy-cells': 'first c2' });
  expect(await cellOf('/dashboard/sign-in', { body: {}, cell: 'c2' })).toBe('c2');
  expect(await cellOf('/dashboard/sign-in', { body: {}, cell: 'c9' })).toBe('first');
  for (const [body, cell] of [
    [{ token: `c2.${RANDOM}` }, 'c2'],
    [{ token: RANDOM }, 'first'],
    [{ sign_in_id: `sgn_c2_${ID}`, code: '12345678' }, 'c2'],
    [{ sign_in_id: `sgn_${ID}`, code: '12345678' }, 'first'],
    ['{{{', 'first'],
    [[], 'first'],
  ] as const)
    expect([body, await cellOf('/dashboard/session', { body })]).toEqual([body, cell]);
});

test('a sign-in at a provider goes to the cell that the page asks, and the provider’s redirect to the same cell', async () => {
  const asked = await ask('/dashboard/sign-in/provider', { body: {}, cell: 'c2' });
  expect([asked.cell, asked.headers['energy-cells']]).toEqual(['c2', 'first c2']);
  expect(await cellOf('/dashboard/sign-in/provider', { body: {} })).toBe('first');
  const back = (provider: string, cookie?: string) =>
    cellOf('/dashboard/sign-in/callback?code=1&state=2', { provider, ...(cookie === undefined ? {} : { cookie }) });
  expect(await back(`c2.${RANDOM}`)).toBe('c2');
  expect(await back(RANDOM)).toBe('first');
  // A session cookie of another cell in the same browser does not select the cell.
  expect(await back(`c2.${RANDOM}`, RANDOM)).toBe('c2');
  expect(await back(RANDOM, `c2.${RANDOM}`)).toBe('first');
});

test('a device is routed to the cell in its user name', async () => {
  expect(await connect(`dev_c2_${ID}`)).toBe('c2');
  expect(await connect(`gwy_c2_${ID}`)).toBe('c2');
  expect(await connect(`dev_${ID}`)).toBe('first');
  expect(await connect(`dev_c9_${ID}`)).toBe('first');
});

test('exceptions apply at once, and after a restart of the router; energy cells reports and repairs differences', async () => {
  const moved = `eus_live_${'m'.repeat(42)}`;
  const places = { file: routers.exceptions, routers: [router.socket] };
  // The test stores so many exceptions that they do not fit into one request to the router's runtime API.
  const many = Array.from({ length: 1_000 }, (_, index) => [`usr_many${index}`, 'c2'] as const);
  await storeRoutingExceptions(
    places,
    new Map([...many, [hashOf(moved), 'c2'], [`dev_${ID}`, 'c2'], [hashOf(`c2.${RANDOM}`), 'first']]),
  );
  const holds = async () => {
    await expect.poll(() => cellOf('/v1/users', { key: moved })).toBe('c2');
    expect(await cellOf('/v1/users', { key: `eus_live_${RANDOM}` })).toBe('first');
    expect(await cellOf('/dashboard/v1/devices', { cookie: `c2.${RANDOM}` })).toBe('first');
    expect(await connect(`dev_${ID}`)).toBe('c2');
  };
  await holds();
  const health = async () => JSON.parse((await energy('--json')).out);
  const up = { https: true, mqtt: true };
  await expect.poll(health).toMatchObject({
    cells: [
      { cell: 'first', ...up },
      { cell: 'c2', ...up },
    ],
    routers: [{ problem: null, differing: 0 }],
    exceptions: 1_003,
  });
  await router.kill();
  await router.start();
  await holds();
  // One of the moved ids moves to another cell, and one returns to the cell that created it.
  await storeRoutingExceptions(
    places,
    new Map([
      [hashOf(moved), 'first'],
      [`dev_${ID}`, null],
    ]),
  );
  expect([await cellOf('/v1/users', { key: moved }), await connect(`dev_${ID}`)]).toEqual(['first', 'first']);
  appendFileSync(routers.exceptions, `${hashOf(moved)} c2\n`);
  const differs = await energy();
  expect([differs.code, differs.out]).toEqual([1, expect.stringMatching(/1 moved accounts differ from the list/)]);
  expect(JSON.parse((await energy('sync', '--json')).out)).toEqual({ changed: 1 });
  expect(await cellOf('/v1/users', { key: moved })).toBe('c2');
  expect((await energy()).code).toBe(0);
});

test('requests to an unavailable cell get 503 and are never answered by another cell; public pages come from the other cell', async () => {
  const port = portOf(web.first);
  web.first.closeAllConnections();
  await new Promise((done) => web.first.close(done));
  const of = async (key: string) => {
    const { status, headers } = await ask('/v1/users', { key });
    return [status, headers['retry-after']];
  };
  await expect.poll(() => of(`eus_live_${RANDOM}`)).toEqual([503, '5']);
  await expect.poll(() => cellOf('/dashboard/sign-in')).toBe('c2');
  expect(await of(`eus_live_c2_${RANDOM}`)).toEqual([200, undefined]);
  expect(await of(`eus_live_${RANDOM}`)).toEqual([503, '5']);
  expect((await ask('/dashboard/session', { body: { token: RANDOM } })).status).toBe(503);
  const { code, out } = await energy('--json');
  expect([code, JSON.parse(out).cells[0]]).toEqual([
    1,
    expect.objectContaining({ cell: 'first', https: false, mqtt: true }),
  ]);
  web.first = await listen(webServer('first'), port);
  await expect.poll(() => of(`eus_live_${RANDOM}`), { timeout: 10_000 }).toEqual([200, undefined]);
});
