import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '#src/auth/sessions.ts';
import { setCell } from '#src/core/cell.ts';
import { createDatabase } from '#src/database/connect.ts';
import { sendLoopbackRequest } from '#test/support/cluster/api-pair.ts';
import { type Cell, startCell } from '#test/support/cluster/cell.ts';
import { startRetryingPublisher } from '#test/support/cluster/publisher.ts';
import { getRoutedCell, type Router, type RouterGroup, startRouters } from '#test/support/cluster/router.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { type LocalCertificate, makeLocalCertificate } from '#test/support/local-certificate.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';

const MESSAGES_PER_SECOND = 16;
const MESSAGES = 320;
/** Interval between two requests for the account that is moving, in ms. */
const ASK_EVERY_MS = 40;
/** Maximum time in which neither cell serves the moving account, in ms. It is two seconds on an otherwise idle machine. */
const MAX_HELD_MS = 8_000;
/** Maximum time until the old cell has ended the connections of the moved devices, in ms. It includes a margin for a busy machine. */
const ELSEWHERE_MS = 30_000;

let tls: LocalCertificate;
let databases: [TestDatabase, TestDatabase];
let first: Cell;
let c2: Cell;
let routers: RouterGroup;
let router: Router;

beforeAll(async () => {
  tls = await makeLocalCertificate();
  databases = [await createTestDatabase(), await createTestDatabase()];
  // Give each database its own installation id, because both are copies of one template with the same id.
  for (const { pool } of databases)
    await pool.query('UPDATE installation SET installation_id = gen_random_uuid()::text');
  [first, c2] = await Promise.all([
    startCell({ name: 'first', url: databases[0].url, tls }),
    startCell({ name: 'c2', url: databases[1].url, tls }),
  ]);
  routers = await startRouters({ tls, first: getRoutedCell(first), c2: getRoutedCell(c2) });
  [router] = routers.all;
});
afterAll(async () => {
  setCell(undefined);
  await routers?.stop();
  await Promise.all([first?.remove(), c2?.remove()]);
  for (const database of databases ?? []) await database.drop();
});

const poolOf = (cell: Cell) => databases[cell === first ? 0 : 1].pool;

const send = (path: string, key: string, body?: unknown) =>
  sendLoopbackRequest(tls.cert, router.ports.api, path, {
    key,
    ...(body === undefined ? {} : { method: 'POST', body }),
  });

/** Creates a home with a meter, an API key and a session, through the router. */
async function makeHome(cell: Cell, email: string) {
  const { json: user } = await send('/v1/users', cell.adminKey, { email, role: 'homeowner' });
  const userId: string = user.user_id;
  const device = { user_id: userId, type: 'smart_meter', location: 'cellar' };
  const { json: paired, status } = await send('/v1/devices', cell.adminKey, device);
  expect(status).toBe(201);
  const { stdout } = await energy(cell, ['keys', 'create', '--user', userId, '--json']);
  setCell(cell.env.CELL);
  const { secret } = await openSession(createDatabase(poolOf(cell)), userId, new Date());
  return {
    userId,
    deviceId: paired.device_id as string,
    mqtt: paired.mqtt,
    key: JSON.parse(stdout).key as string,
    secret,
  };
}
type Home = Awaited<ReturnType<typeof makeHome>>;

async function energy({ env }: Cell, args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [TESTED_PROGRAM, ...args],
      { env: { ...env, PATH: process.env.PATH } },
      (error, stdout, stderr) => done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}
const move = (home: Home, from: Cell, to: string, file = routers.cellsFile) =>
  energy(from, ['cells', 'move', home.userId, '--to', to, '--file', file, '--json']);

/** Connects a meter through the router. */
const meterOf = ({ deviceId, mqtt }: Home) =>
  startRetryingPublisher({
    nodes: [{ ports: { mqtt: router.ports.mqtt } }],
    ...{ deviceId, secret: mqtt.password, topic: mqtt.topic, first: 0 },
  });

async function readingsOf(cell: Cell, { deviceId }: Home): Promise<number> {
  const { rows } = await poolOf(cell).query(
    'SELECT count(*)::int AS n FROM readings JOIN series USING (series_id) WHERE device_id = $1',
    [deviceId],
  );
  return rows[0].n;
}
const countOf = async (cell: Cell, relation: string) =>
  (await poolOf(cell).query(`SELECT count(*)::int AS n FROM ${relation}`)).rows[0].n;

test('homes of both cells publish and are read through one address; a home moves back and forth under load; one cell survives the loss of the other', async () => {
  const [home, there] = [await makeHome(first, 'home@example.com'), await makeHome(c2, 'there@example.com')];
  expect([home.deviceId, there.deviceId, there.key]).toEqual([
    expect.stringMatching(/^dev_\w{26}$/),
    expect.stringMatching(/^dev_c2_\w{26}$/),
    expect.stringMatching(/^eus_live_c2_\w{42}$/),
  ]);
  const [meter, other] = [meterOf(home), meterOf(there)];
  const startMs = Date.now() - 3_600_000;
  let sent = 0;
  const publish = () => {
    const payload = JSON.stringify({ ts: startMs + 1_000 * sent++, power_w: 100 + (sent % 7) });
    meter.publish(payload);
    other.publish(payload);
  };
  publish();
  await Promise.all([meter.flush(), other.flush()]);
  expect(await Promise.all([readingsOf(first, home), readingsOf(c2, there)])).toEqual([1, 1]);

  // If the routing map of one router cannot be changed, the account stays where it is, and no client is affected.
  const broken = join(resolve(routers.cellsFile, '..'), 'broken.json');
  const cells = JSON.parse(readFileSync(routers.cellsFile, 'utf8'));
  writeFileSync(broken, JSON.stringify({ ...cells, routers: [...cells.routers, '127.0.0.1:1'] }));
  const failed = await move(home, first, 'c2', broken);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('127.0.0.1:1')]);
  expect((await send(`/v1/users/${home.userId}`, home.key)).status).toBe(200);
  expect(await countOf(c2, 'arriving_names')).toBe(0);
  expect(await countOf(first, 'parcels')).toBe(0);

  // Send requests with the account's key and with its session, while the account's devices publish messages.
  const counts = new Map<string, number>();
  let isDone = false;
  const watch = async (what: string, once: () => ReturnType<typeof sendLoopbackRequest>) => {
    while (!isDone) {
      const { status, headers, json, failed: broken } = await once();
      const isRight = status === 503 ? headers['retry-after'] !== undefined : status === 200 && json?.user !== null;
      const name =
        `${what} ${isRight ? '' : 'WRONG '}${status} ${isRight ? '' : (broken ?? JSON.stringify(json))}`.trim();
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await setTimeout(ASK_EVERY_MS);
    }
  };
  const cookie = { headers: { cookie: `__Secure-energy_session=${home.secret}` } };
  const watching = [
    watch('account', () => send(`/v1/users/${home.userId}`, home.key)),
    watch('device', () => send(`/v1/devices/${home.deviceId}`, home.key)),
    watch('change', () =>
      sendLoopbackRequest(tls.cert, router.ports.api, `/v1/devices/${home.deviceId}`, {
        key: home.key,
        method: 'PATCH',
        body: { location: 'attic' },
      }),
    ),
    watch('session', () => sendLoopbackRequest(tls.cert, router.ports.api, '/dashboard/session', cookie)),
  ];
  const publishing = (async () => {
    while (sent < MESSAGES) {
      publish();
      await setTimeout(1_000 / MESSAGES_PER_SECOND);
    }
  })();
  await setTimeout(1_000);
  const moved = await move(home, first, 'c2');
  expect(moved.code, moved.stderr).toBe(0);
  const report = JSON.parse(moved.stdout);
  expect(report).toMatchObject({ users: 1, moved_before: 0, unpriced: [] });
  expect(report.held_ms).toBeLessThan(MAX_HELD_MS);
  await publishing;
  await Promise.all([meter.flush(), other.flush()]);
  isDone = true;
  await Promise.all(watching);
  console.log(
    `held ${report.held_ms} ms, forwarded ${report.forwarded}: ${JSON.stringify(Object.fromEntries(counts))}`,
  );
  // No request is answered with 401, with 404, or without data.
  expect([...counts.keys()].filter((name) => name.includes('WRONG'))).toEqual([]);

  // Every acknowledged message is stored once, in the new cell, and the device is connected to the new cell.
  expect(meter.acknowledged.size).toBe(sent);
  expect(await readingsOf(c2, there)).toBe(sent);
  await expect.poll(() => readingsOf(c2, home), { timeout: ELSEWHERE_MS }).toBe(sent);
  expect(await countOf(first, 'departed_messages')).toBe(0);
  expect([await readingsOf(first, home), await countOf(c2, 'arriving_names'), await countOf(first, 'parcels')]).toEqual(
    [0, 0, 0],
  );
  const usage = await send(`/v1/devices/${home.deviceId}`, home.key);
  expect([usage.status, usage.headers['energy-cell']]).toEqual([200, 'c2']);

  // The routers' list of moved accounts survives a restart. While the first cell is down, the second cell serves the moved account.
  await router.kill();
  await router.start();
  await first.kill();
  for (const one of [home, there])
    await expect.poll(async () => (await send(`/v1/devices/${one.deviceId}`, one.key)).status).toBe(200);
  publish();
  await Promise.all([meter.flush(), other.flush()]);
  expect(await Promise.all([readingsOf(c2, home), readingsOf(c2, there)])).toEqual([sent, sent]);
  await expect.poll(async () => (await send('/v1/users', first.adminKey)).status).toBe(503);

  // The account moves back to the first cell. Its ids contain the name of that cell, so only its session is still in the routers' list.
  await first.start();
  await expect.poll(async () => (await send('/v1/users', first.adminKey)).status, { timeout: 20_000 }).toBe(200);
  const back = await move(home, c2, 'first');
  expect(back.code, back.stderr).toBe(0);
  expect((await send(`/v1/devices/${home.deviceId}`, home.key)).headers['energy-cell']).toBe('first');
  expect(readFileSync(routers.exceptions, 'utf8').match(/^[^#]+ .+$/gm)).toEqual([
    expect.stringMatching(/^[0-9A-F]{64} first$/),
  ]);
  publish();
  await Promise.all([meter.flush(), other.flush()]);
  await expect.poll(() => readingsOf(first, home), { timeout: ELSEWHERE_MS }).toBe(sent);
  await Promise.all([meter.close(), other.close()]);
});
