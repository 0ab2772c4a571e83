import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { setCell } from '#src/core/cell.ts';
import { createDatabase } from '#src/database/connect.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createUser } from '#src/users/store.ts';
import { createCertificateAuthority } from '#test/support/certificates.ts';
import { sendLoopbackRequest } from '#test/support/cluster/api-pair.ts';
import { type Cell, startCell } from '#test/support/cluster/cell.ts';
import { startRetryingPublisher } from '#test/support/cluster/publisher.ts';
import { getRoutedCell, type Router, type RouterGroup, startRouters } from '#test/support/cluster/router.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { type LocalCertificate, makeLocalCertificate } from '#test/support/local-certificate.ts';
import { type OidcServer, startOidcServer } from '#test/support/oidc.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { pairDevices } from '../../../bench/support.ts';

/** Public address of both routers, like a DNS name. The test sends its requests to one router at a time. */
const PUBLIC_URL = 'https://energy.test';
/**
 * Maximum time without a PUBACK after a router was killed, in ms. Its devices connect to the other router at once, but the machine may be
 * busy.
 */
const MAX_SILENCE_MS = 10_000;

let tls: LocalCertificate;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let authority: Awaited<ReturnType<typeof createCertificateAuthority>>;
let provider: OidcServer;
let databases: Record<string, TestDatabase>;
let cells: Record<string, Cell>;
let routers: RouterGroup;
let both: readonly [Router, Router];
const clients: MqttClient[] = [];

beforeAll(async () => {
  [tls, folder, provider] = await Promise.all([makeLocalCertificate(), createTemporaryFolder(), startOidcServer()]);
  authority = await createCertificateAuthority(folder.path, 'ours');
  const caFile = join(folder.path, 'provider.pem');
  await writeFile(caFile, provider.ca);
  provider.serve(PUBLIC_URL);
  databases = { first: await createTestDatabase(), c2: await createTestDatabase() };
  const env = {
    PUBLIC_URL,
    MQTTS_CLIENT_CA_FILE: authority.file,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_CA_FILE: caFile,
  };
  const start = async (name: string) => {
    const { pool, url } = databaseOf(name);
    // Give each database its own installation id, because all are copies of one template with the same id.
    await pool.query('UPDATE installation SET installation_id = gen_random_uuid()::text');
    return startCell({ name, url, tls, env });
  };
  const [first, c2] = await Promise.all([start('first'), start('c2')]);
  cells = { first, c2 };
  const clientCa = await readFile(authority.file, 'utf8');
  routers = await startRouters({ tls, first: getRoutedCell(first), c2: getRoutedCell(c2), count: 2, clientCa });
  both = routers.all as unknown as [Router, Router];
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.endAsync(true))));
afterAll(async () => {
  setCell(undefined);
  await routers?.stop();
  for (const cell of Object.values(cells ?? {})) await cell.remove();
  for (const database of Object.values(databases ?? {})) await database.drop();
  await Promise.all([provider?.close(), folder?.remove()]);
});

const databaseOf = (cell: string) => databases[cell] ?? expect.fail(cell);
const cellOf = (name: string) => cells[name] ?? expect.fail(name);

/** Runs a function in which all created ids and keys contain the name of the cell. */
async function within<T>(cell: string, run: () => Promise<T>): Promise<T> {
  setCell(cell === 'first' ? undefined : cell);
  return run().finally(() => setCell(undefined));
}

async function makeHome(cell: string) {
  const { pool } = databaseOf(cell);
  return within(cell, async () => {
    const [device = expect.fail()] = await pairDevices(pool, 1);
    const { rows } = await pool.query('SELECT user_id FROM devices WHERE device_id = $1', [device.deviceId]);
    const userId: string = rows[0].user_id;
    const { key } = await createKey(createDatabase(pool), { userId, environment: 'live' });
    return { ...device, userId, key };
  });
}
type Home = Awaited<ReturnType<typeof makeHome>>;

const publisherOf = ({ deviceId, secret }: Home, from: 0 | 1) =>
  startRetryingPublisher({ nodes: both, deviceId, secret, topic: getReadingsTopic(deviceId), first: from });
const reading = (index: number) => JSON.stringify({ ts: Date.now() - 3_600_000 + index, power_w: index });

async function storedIn(cell: string, { deviceId }: Pick<Home, 'deviceId'>): Promise<number> {
  const { rows } = await databaseOf(cell).pool.query(
    'SELECT count(*)::int AS n FROM readings JOIN series USING (series_id) WHERE device_id = $1',
    [deviceId],
  );
  return rows[0].n;
}

const energy = (cell: string, ...args: string[]) =>
  new Promise<{ code: number; stderr: string }>((done) => {
    const { env } = cellOf(cell);
    const all = [TESTED_PROGRAM, 'cells', ...args, '--file', routers.cellsFile];
    execFile(process.execPath, all, { env: { ...env, PATH: process.env.PATH } }, (error, _stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, stderr }),
    );
  });

test('each router is killed in turn: the devices of both cells publish through the other, and each message is stored once', async () => {
  const homes = { first: await makeHome('first'), c2: await makeHome('c2') };
  const publishers = [publisherOf(homes.first, 0), publisherOf(homes.c2, 1)];
  let sent = 0;
  const publish = async (count: number) => {
    for (let index = 0; index < count; index++) {
      for (const publisher of publishers) publisher.publish(reading(sent));
      sent++;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await publish(20);
  for (const router of both) {
    await router.kill();
    await publish(20);
    await Promise.all(publishers.map((publisher) => publisher.flush()));
    await router.start();
  }
  await Promise.all(publishers.map((publisher) => publisher.close()));
  for (const [cell, home] of Object.entries(homes)) {
    expect([cell, await storedIn(cell, home)]).toEqual([cell, sent]);
    expect(await storedIn(cell === 'first' ? 'c2' : 'first', home)).toBe(0);
  }
  for (const publisher of publishers) expect(publisher.longestSilenceMs()).toBeLessThan(MAX_SILENCE_MS);
});

/** Connects a device through a router, with the same client id each time. */
async function connectThrough({ ports }: Router, { deviceId, secret }: Home): Promise<MqttClient> {
  const login = { username: deviceId, password: secret, clientId: 'same', reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${ports.mqtt}`, login);
  client.on('error', () => {});
  clients.push(client);
  return client;
}

test.each(['first', 'c2'])(
  'a device of cell %s that connects through the other router ends its connection through this one',
  async (cell) => {
    const home = await makeHome(cell);
    const [one, other] = both;
    const before = await connectThrough(one, home);
    const between = await connectThrough(other, home);
    await expect.poll(() => before.connected).toBe(false);
    const after = await connectThrough(one, home);
    await expect.poll(() => between.connected).toBe(false);
    await after.publishAsync(getReadingsTopic(home.deviceId), reading(0), { qos: 1 });
    expect([after.connected, await storedIn(cell, home)]).toEqual([true, 1]);
  },
);

test('an account that moves is routed to its new cell by both routers; without one of them nothing moves', async () => {
  const home = await makeHome('first');
  const [one, other] = both;
  const cellsSeen = () =>
    Promise.all(
      both.map(async ({ ports }) => {
        const { status, headers } = await sendLoopbackRequest(tls.cert, ports.api, `/v1/users/${home.userId}`, {
          key: home.key,
        });
        return [status, headers['energy-cell']];
      }),
    );
  await expect.poll(cellsSeen).toEqual([
    [200, 'first'],
    [200, 'first'],
  ]);
  await other.kill();
  const failed = await energy('first', 'move', home.userId, '--to', 'c2');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining(other.socket)]);
  await other.start();
  await expect.poll(cellsSeen).toEqual([
    [200, 'first'],
    [200, 'first'],
  ]);
  const moved = await energy('first', 'move', home.userId, '--to', 'c2');
  expect([moved.code, moved.stderr]).toEqual([0, expect.any(String)]);
  expect(await cellsSeen()).toEqual([
    [200, 'c2'],
    [200, 'c2'],
  ]);
  for (const [index, router] of both.entries()) {
    const client = await connectThrough(router, home);
    await client.publishAsync(getReadingsTopic(home.deviceId), reading(index), { qos: 1 });
  }
  expect([await storedIn('c2', home), await storedIn('first', home)]).toEqual([2, 0]);
  // A restarted router reads the routing exceptions from their file.
  await one.kill();
  await one.start();
  await expect.poll(cellsSeen).toEqual([
    [200, 'c2'],
    [200, 'c2'],
  ]);
});

test.each(['first', 'c2'])('a device of cell %s logs in by its certificate at each router', async (cell) => {
  const home = await makeHome(cell);
  const { cert, key } = await authority.sign(home.deviceId);
  for (const [index, { ports }] of both.entries()) {
    const options = { cert, key, rejectUnauthorized: false, reconnectPeriod: 0 };
    const client = await mqtt.connectAsync(`mqtts://127.0.0.1:${ports.mqtts}`, options);
    clients.push(client);
    await client.publishAsync(getReadingsTopic(home.deviceId), reading(index), { qos: 1 });
  }
  expect(await storedIn(cell, home)).toBe(2);
  // The listener for client certificates also accepts a login with a password.
  const client = await mqtt.connectAsync(`mqtts://127.0.0.1:${both[0].ports.mqtts}`, {
    ...{ username: home.deviceId, password: home.secret },
    ...{ rejectUnauthorized: false, reconnectPeriod: 0 },
  });
  clients.push(client);
  await client.publishAsync(getReadingsTopic(home.deviceId), reading(2), { qos: 1 });
  expect(await storedIn(cell, home)).toBe(3);
});

const cookiesOf = (headers: Awaited<ReturnType<typeof sendLoopbackRequest>>['headers']) =>
  [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0] ?? '');

test('a person who signs in at a provider is signed in to the cell that has the account, and not to another cell', async () => {
  await within('c2', () =>
    createUser(createDatabase(databaseOf('c2').pool), { email: 'there@example.com', role: 'homeowner' }),
  );
  provider.people.set('there', { email: 'there@example.com', email_verified: true });
  const [one, other] = both;
  const signIn = async (cell: string) => {
    const redirect = await sendLoopbackRequest(tls.cert, one.ports.api, '/dashboard/sign-in/provider', {
      ...{ method: 'POST', body: {}, headers: { 'energy-cell': cell } },
    });
    expect([redirect.status, redirect.headers['energy-cell']]).toEqual([200, cell]);
    const back = new URL(await provider.signIn(redirect.json.location, 'there'));
    // The identity provider redirects the browser back to the service, and this request may arrive at the other router.
    const headers = { cookie: cookiesOf(redirect.headers).join('; ') };
    return sendLoopbackRequest(tls.cert, other.ports.api, back.pathname + back.search, { headers });
  };
  const unknown = await signIn('first');
  expect([unknown.status, unknown.headers.location]).toEqual([303, '/dashboard/sign-in?problem=unknown']);
  const signedIn = await signIn('c2');
  expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/dashboard']);
  const session = cookiesOf(signedIn.headers).find((cookie) => cookie.startsWith('__Secure-energy_session='));
  expect(session).toMatch(/=c2\./);
  const { json } = await sendLoopbackRequest(tls.cert, other.ports.api, '/dashboard/session', {
    headers: { cookie: session ?? '' },
  });
  expect(json.user).toMatchObject({ email: 'there@example.com' });
});
