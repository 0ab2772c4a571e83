import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import { openSession } from '#src/auth/sessions.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, createQueryFunctionOnConnection } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findInvalidLogins, hashSecret, isDeviceLoginValid } from '#src/devices/credentials.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { addEvents } from '#src/events/outbox.ts';
import { closeAccountsAtSource } from '#src/start/users-move/close.ts';
import { moveUsers } from '#src/start/users-move/move-users.ts';
import { readAccountRoutingNames, recordExpectedRoutingNames } from '#src/start/users-move/routes.ts';
import { createSeries } from '#src/tariffs/price-series.ts';
import { createTariff, updateTariff } from '#src/tariffs/store.ts';
import { removeExpiredMovedAccounts } from '#src/users/departures.ts';
import { eraseUser } from '#src/users/erase.ts';
import { createUser } from '#src/users/store.ts';
import { createMoveOptions, INGEST_SETTINGS, MOVE_SECRETS } from '#test/support/account-moves.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import type { TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { countRows, setUpTwoDatabases } from '#test/support/two-databases.ts';

/**
 * Tests of account moves that do not depend on the tier (kind of database server). All other tests of account moves are in
 * test/tiers/move-users.test.ts.
 */
const two = setUpTwoDatabases();
const mentioned = (pool: TestDatabase['pool'], ids: readonly string[]) =>
  pool
    .query('SELECT user_id FROM users WHERE user_id = ANY ($1) ORDER BY 1', [ids])
    .then(({ rows }) => rows.map(({ user_id }) => user_id));

test('every account that cannot move is reported, and nothing is changed', async () => {
  const { source, target } = two;
  const [here, there] = [createDatabase(source.pool), createDatabase(target.pool)];
  const admin = await createUser(here, { email: 'admin@example.com', role: 'admin' });
  const utility = await createUser(here, { email: 'utility@example.com', role: 'utility' });
  const [first, second] = await Promise.all(
    [1, 2].map((n) =>
      createUser(here, { email: `home${n}@example.com`, role: 'homeowner', enrolledBy: utility.user_id }),
    ),
  );
  const taken = await createUser(here, { email: 'taken@example.com', role: 'homeowner' });
  await createUser(there, { email: 'Taken@Example.com', role: 'homeowner' });
  const accounts = [
    admin.user_id,
    'HOME1@example.com',
    first?.user_id ?? '',
    taken.user_id,
    'nobody@example.com',
    'usr_nobody',
  ];
  const refusal = await moveUsers(source.url, target.url, createMoveOptions(accounts)).then(
    () => '',
    (error: Error) => error.message,
  );
  expect(refusal.split('\n').map((line) => line.trim())).toEqual([
    'These accounts cannot be moved, and were not changed:',
    'there is no account nobody@example.com',
    'there is no account usr_nobody',
    expect.stringMatching(/^usr_\w+ is an administrator/),
    expect.stringMatching(/^usr_\w+ was enrolled by usr_\w+, which neither moves as well nor/),
    expect.stringMatching(/^usr_\w+ has an e-mail address that another account there has/),
  ]);
  await expect(
    moveUsers(source.url, target.url, createMoveOptions([utility.user_id, first?.user_id ?? ''])),
  ).rejects.toThrow(/enrolled 1 account that does not move/);
  expect(await countRows(source.pool, 'users')).toBe(5);
  expect(await countRows(target.pool, 'users')).toBe(1);
  // A utility moves together with all its homeowners, and still manages them after the move.
  const all = [utility.user_id, first?.user_id ?? '', second?.user_id ?? ''];
  await moveUsers(source.url, target.url, createMoveOptions(all));
  const { rows } = await target.pool.query('SELECT count(*) AS n FROM users WHERE enrolled_by = $1', [utility.user_id]);
  expect(rows[0].n).toBe(2);
  // A homeowner who is created at the source after the move can be moved later.
  const late = await createUser(here, { email: 'late@example.com', role: 'homeowner' });
  await moveUsers(source.url, target.url, createMoveOptions([late.user_id]));
  expect(await mentioned(source.pool, [...all, late.user_id])).toEqual([]);
});

test('databases that do not belong to a running installation are refused', async () => {
  const { source, target } = two;
  const home = await createTestMeter(source);
  await expect(moveUsers(source.url, source.url, createMoveOptions([home.userId]))).rejects.toThrow(
    /this installation itself/,
  );
  const wrong = { source: 'one secret', target: 'another secret' };
  await source.pool.query(
    "INSERT INTO webhooks (webhook_id, user_id, event, url, auth_token_sealed) VALUES ('whk_1', $1, 'user.created', 'https://example.com', '\\x00')",
    [home.userId],
  );
  await expect(moveUsers(source.url, target.url, createMoveOptions([home.userId], { secrets: wrong }))).rejects.toThrow(
    /SECRET_KEY .* does not decrypt/,
  );
  await target.pool.query(
    "DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations WHERE name LIKE 'schema/%')",
  );
  await expect(moveUsers(source.url, target.url, createMoveOptions([home.userId]))).rejects.toThrow(
    /have different versions \(schema\//,
  );
  await target.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await expect(moveUsers(source.url, target.url, createMoveOptions([home.userId]))).rejects.toThrow(
    /has no schema of this version/,
  );
  expect(await countRows(source.pool, 'departures')).toBe(0);
});

test('a moved account, its key, sessions and devices are unknown at the source, and known at the target', async () => {
  const { source, target } = two;
  const api = await startTestApi({ database: { ...source, drop: async () => {} } });
  const there = await startTestApi({ database: { ...target, drop: async () => {} } });
  try {
    const { userId, key } = await api.user('homeowner');
    const stays = await api.user('homeowner');
    const admin = await api.user('admin');
    const made = await api.send('/v1/devices', {
      method: 'POST',
      key,
      body: { type: 'smart_meter', location: 'home' },
    });
    const { device_id: deviceId, mqtt } = made.json;
    expect(await isDeviceLoginValid(api.db, deviceId, mqtt.password)).toBe(true);
    await moveUsers(
      source.url,
      target.url,
      createMoveOptions([userId], {
        secrets: { source: 'the secret of the tests', target: 'the secret of the tests' },
      }),
    );
    expect((await api.send(`/v1/users/${userId}`, { key: admin.key })).status).toBe(404);
    expect(
      (await api.send('/v1/devices', { method: 'POST', key, body: { type: 'smart_meter', location: 'x' } })).status,
    ).toBe(401);
    expect((await api.send('/v1/devices', { key: stays.key })).status).toBe(200);
    expect(await isDeviceLoginValid(api.db, deviceId, mqtt.password)).toBe(false);
    const login = { username: deviceId, secretSha256: hashSecret(mqtt.password) };
    expect(await findInvalidLogins(api.db, [login])).toEqual([login]);
    const devices = await there.send('/v1/devices', { key });
    expect(devices.json.map(({ device_id }: { device_id: string }) => device_id)).toEqual([deviceId]);
    expect(await isDeviceLoginValid(there.db, deviceId, mqtt.password)).toBe(true);
    expect(await findInvalidLogins(there.db, [login])).toEqual([]);
  } finally {
    await api.app.close();
    await there.app.close();
  }
});

test('while an account moves, both installations answer its callers with 503 and its devices with "server unavailable"; a failed move ends this', async () => {
  const { source, target } = two;
  const here = await startTestApi({ database: { ...source, drop: async () => {} } });
  const there = await startTestApi({ database: { ...target, drop: async () => {} } });
  const secrets = { source: 'the secret of the tests', target: 'the secret of the tests' };
  try {
    const { userId, key } = await here.user('homeowner');
    const body = { type: 'smart_meter', location: 'home' };
    const { device_id: deviceId, mqtt } = (await here.send('/v1/devices', { method: 'POST', key, body })).json;
    const hub = await createGateway(here.db, { userId, name: 'Hub' });
    const { secret } = await openSession(here.db, userId, here.now);
    const statusesOf = async ({ send }: TestApi) => {
      const headers = { cookie: `__Secure-energy_session=${secret}` };
      const answers = [
        await send(`/v1/users/${userId}`, { key }),
        await send('/v1/alerts', { method: 'POST', key, body: {} }),
        await send('/dashboard/v1/devices', { headers }),
        await send('/dashboard/session', { headers }),
      ];
      return answers.map(({ status, headers: of }) => (status === 503 ? `503 ${of['retry-after']}` : status));
    };
    const seen: unknown[] = [];
    const routed: string[] = [];
    const routes = {
      toTarget: async (names: readonly { name: string }[]) => {
        routed.push(`to ${names.length}`);
        // Records the target's response statuses at the moment when the routers start to send callers to the target.
        seen.push(await statusesOf(there));
      },
      toSource: async (names: readonly { name: string }[]) => void routed.push(`back ${names.length}`),
    };
    const failing = createMoveOptions([userId], {
      ...{ secrets, routes },
      step: (text) => {
        if (text.startsWith('Copying data that arrived')) throw new Error('it fails');
      },
    });
    await expect(moveUsers(source.url, target.url, failing)).rejects.toThrow('it fails');
    // Five names are passed to the routers: those of the account, its device, its gateway, its key and its session.
    expect(routed).toEqual(['to 5', 'back 5']);
    expect(seen).toEqual([['503 5', '503 5', '503 5', '503 5']]);
    expect((await statusesOf(here)).slice(0, 1)).toEqual([200]);
    expect(await statusesOf(there)).toEqual([401, 401, 401, 200]);

    await closeAccountsAtSource(source.pool, [userId], {
      toInstallation: 'elsewhere',
      redirect: async (client) =>
        recordExpectedRoutingNames(target.pool, await readAccountRoutingNames(client, [userId])),
    });
    for (const api of [here, there]) {
      // A process that has cached the key refuses changes at once, and reads some seconds later.
      const statuses = await statusesOf(api);
      expect(api === here ? statuses.slice(1) : statuses).toEqual(
        statuses.slice(api === here ? 1 : 0).map(() => '503 5'),
      );
      for (const [login, password] of [
        [deviceId, mqtt.password],
        [hub.gateway.gateway_id, 'any'],
      ])
        await expect(isDeviceLoginValid(api.db, login, password)).rejects.toThrow('is moving');
      expect(await isDeviceLoginValid(api.db, 'dev_unknown', 'x')).toBe(false);
      const wrong = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
      expect((await api.send('/v1/devices', { key: wrong })).status).toBe(401);
    }
  } finally {
    await here.app.close();
    await there.app.close();
  }
});

test('a move waits for a running delivery, includes hours that close meanwhile, and does not move other recipients’ events', async () => {
  const { source, target } = two;
  const db = createDatabase(source.pool);
  const admin = await createUser(db, { email: 'admin@example.com', role: 'admin' });
  const home = await createTestMeter(source);
  const { userId } = home;
  const sealed = createSecretEncrypter(MOVE_SECRETS.source).seal('a token');
  for (const owner of [admin.user_id, userId])
    await source.pool.query(
      `INSERT INTO webhooks (webhook_id, user_id, event, url, auth_token_sealed)
       VALUES ('whk_' || $1, $1, 'device.connected', 'https://example.com', $2)`,
      [owner, sealed],
    );
  const data = { device_id: 'dev_1', user_id: userId, connected_at: '2026-01-01T00:00:00Z' };
  const event = { type: 'device.connected' as const, userId, data: data as never, channel: 'email' as const };
  const [eventId] = await addEvents(createQueryFunctionOnConnection(source.pool), [event], new Date());
  await source.pool.query("UPDATE deliveries SET leased_until = now() + interval '1 minute' WHERE target = 'email'");
  const steps: string[] = [];
  const moving = moveUsers(
    source.url,
    target.url,
    createMoveOptions([userId], { step: (text) => void steps.push(text) }),
  );
  await expect.poll(() => steps.some((text) => text.startsWith('Closing'))).toBe(true);
  await new Promise((done) => setTimeout(done, 200));
  expect(await countRows(source.pool, 'departures')).toBe(0);
  const now = Date.now();
  await home.read([5, 3, 1].map((hours) => [new Date(now - hours * 3_600_000), 10 - hours]));
  await source.pool.query(
    "UPDATE deliveries SET status = 'succeeded', leased_until = NULL WHERE target = 'email' AND leased_until IS NOT NULL",
  );
  await moving;
  for (const relation of ['user_daily', 'device_hourly', 'device_intervals'])
    expect(await sumImportedMilliwattHours(target, relation, userId)).toBe(4_000_000);
  const deliveries =
    'SELECT target, status, event_id FROM deliveries JOIN events USING (event_id) WHERE event_id = $1 ORDER BY target';
  const there = await target.pool.query(deliveries, [eventId]);
  expect(there.rows).toEqual([
    { target: 'email', status: 'succeeded', event_id: eventId },
    { target: `whk_${userId}`, status: 'pending', event_id: eventId },
  ]);
  const here = await source.pool.query(deliveries, [eventId]);
  expect(here.rows).toEqual([{ target: `whk_${admin.user_id}`, status: 'pending', event_id: eventId }]);
});

const raw = (topic: string, body: object | string, at = Date.now()) =>
  createIncomingMessage({
    topic,
    payload: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    receivedAtMs: at,
    replayed: false,
  }) as IncomingMessage;

test('messages that a gateway and a device still send to the source are stored with unrecognised ones, and written once at the target', async () => {
  const { source, target } = two;
  const home = await createTestMeter(source);
  const stays = await createTestMeter(source);
  const { gateway } = await createGateway(createDatabase(source.pool), { userId: home.userId, name: 'cellar' });
  const writer = createReadingBatchWriter(source.pool, INGEST_SETTINGS);
  const now = Date.now();
  const reading = (id: string, kwh: number, at: number) =>
    raw(`energy/v1/${id}/readings`, { ts: new Date(at).toISOString(), energy_total_kwh: kwh });
  await writer.write([reading(home.deviceId, 1, now - 9_000), reading(stays.deviceId, 1, now - 9_000)]);
  await moveUsers(source.url, target.url, createMoveOptions([home.userId]));
  const result = await writer.write([
    reading(home.deviceId, 2, now - 8_000),
    reading(stays.deviceId, 2, now - 8_000),
    raw(`energy/v1/${home.deviceId}/readings`, 'rubbish'),
    raw(`gw/${gateway.gateway_id}/tele/plug/SENSOR`, { Time: '2026-07-05T19:00:00', ENERGY: { Total: 5, Power: 10 } }),
    raw('energy/v1/dev_nobody/readings', { ts: new Date(now).toISOString(), energy_total_kwh: 1 }),
  ]);
  expect(result).toMatchObject({ stored: 1, rejected: 1, departed: 3 });
  const { rows } = await source.pool.query('SELECT login, payload::text FROM departed_messages ORDER BY place');
  expect(rows.map(({ login }) => login).sort()).toEqual([gateway.gateway_id, home.deviceId, home.deviceId].sort());
  const report = await moveUsers(source.url, target.url, createMoveOptions([home.userId]));
  expect(report).toMatchObject({ users: 0, moved_before: 1, forwarded: 3 });
  expect(await moveUsers(source.url, target.url, createMoveOptions([home.userId]))).toMatchObject({ forwarded: 0 });
  expect(await sumImportedMilliwattHours(target, 'user_daily', home.userId)).toBe(1_000_000);
  expect(await sumImportedMilliwattHours(source, 'user_daily', stays.userId)).toBe(1_000_000);
  expect(await countRows(target.pool, 'rejected_messages')).toBe(1);
  expect(await countRows(target.pool, 'discovered_devices')).toBe(1);
  expect(await countRows(source.pool, 'rejected_messages')).toBe(1);
});

test('an account that moved back is complete; a message that cannot be written is refused individually, and blocks no move', async () => {
  const { source, target } = two;
  const home = await createTestMeter(source);
  const now = Date.now();
  const send = (at: TestDatabase, ...kwh: number[]) =>
    createReadingBatchWriter(at.pool, INGEST_SETTINGS).write(
      kwh.map((total) => {
        const body = { ts: new Date(now - 600_000 + total * 60_000).toISOString(), energy_total_kwh: total };
        return raw(`energy/v1/${home.deviceId}/readings`, body);
      }),
    );
  const refused = async (at: TestDatabase) =>
    (await at.pool.query('SELECT reason FROM rejected_messages')).rows.map(({ reason }) => reason);
  await send(source, 1);
  await moveUsers(source.url, target.url, createMoveOptions([home.userId]));
  for (const { pool } of [source, target])
    await pool.query('ALTER TABLE readings ADD CONSTRAINT poison CHECK (value NOT IN (3000000, 6000000))');
  await send(source, 2, 3, 4);
  expect(await moveUsers(source.url, target.url, createMoveOptions([home.userId]))).toMatchObject({ forwarded: 3 });
  expect(await refused(target)).toEqual([expect.stringMatching(/^cannot be written: .*poison/)]);
  // These messages arrive at the source. They are added to the account when the account moves back.
  await send(source, 5, 6, 7);
  const secrets = { source: MOVE_SECRETS.target, target: MOVE_SECRETS.source };
  await moveUsers(target.url, source.url, createMoveOptions([home.userId], { secrets }));
  expect(await refused(source)).toHaveLength(2);
  expect(await sumImportedMilliwattHours(source, 'user_daily', home.userId)).toBe(6_000_000);
  expect(await countRows(source.pool, 'readings')).toBe(5);
  // A message that arrives at the target after the account has moved back is forwarded to the source.
  await send(target, 8);
  await send(source, 9);
  expect(await moveUsers(target.url, source.url, createMoveOptions([home.userId]))).toMatchObject({
    moved_before: 1,
    forwarded: 1,
  });
  expect(await sumImportedMilliwattHours(source, 'user_daily', home.userId)).toBe(8_000_000);
  expect(await countRows(source.pool, 'readings')).toBe(7);
  expect(await countRows(source.pool, 'departed_logins')).toBe(0);
  expect(await countRows(target.pool, 'readings')).toBe(0);
});

test('messages stored for a moved account are deleted when it is erased at the target, and after 90 days', async () => {
  const { source, target } = two;
  const db = createDatabase(source.pool);
  const [erased, lives] = [await createTestMeter(source), await createTestMeter(source)];
  const writer = createReadingBatchWriter(source.pool, INGEST_SETTINGS);
  const send = ({ deviceId }: { deviceId: string }) =>
    writer.write([raw(`energy/v1/${deviceId}/readings`, { ts: new Date().toISOString(), energy_total_kwh: 1 })]);
  const both = [erased.userId, lives.userId];
  await moveUsers(source.url, target.url, createMoveOptions(both));
  await eraseUser(createDatabase(target.pool), erased.userId);
  await send(erased);
  await send(lives);
  expect(await moveUsers(source.url, target.url, createMoveOptions(both))).toMatchObject({
    moved_before: 2,
    forwarded: 1,
    removed: 1,
  });
  expect(await send(erased)).toMatchObject({ rejected: 1 });
  expect(await send(lives)).toMatchObject({ departed: 1 });
  // An account that has moved away and back is not removed like a moved account.
  const here = await createTestMeter(source);
  await source.pool.query('INSERT INTO departed_logins VALUES ($1, $2)', [here.deviceId, here.userId]);
  const day = (days: number) => new Date(Date.now() + days * 86_400_000);
  expect(await removeExpiredMovedAccounts(db, day(89))).toMatchObject({ ended: 0, removed: 0, waiting: 1 });
  expect(await removeExpiredMovedAccounts(db, day(91))).toEqual({ ended: 2, removed: 1, waiting: 0, firstEnds: null });
  expect(await send(lives)).toMatchObject({ rejected: 1 });
  expect(await countRows(source.pool, 'departed_logins')).toBe(1);
  await eraseUser(db, here.userId);
  for (const relation of ['departures', 'departed_logins', 'departed_messages'])
    expect({ relation, rows: await countRows(source.pool, relation) }).toEqual({ relation, rows: 0 });
});

test('tariffs with prices of an account that does not move are reported until prices exist at the target', async () => {
  const { source, target } = two;
  const db = createDatabase(source.pool);
  const admin = await createUser(db, { email: 'admin@example.com', role: 'admin' });
  const [home, other] = [await createTestMeter(source), await createTestMeter(source)];
  const make = { kind: 'price' as const, name: 'Day ahead', currency: 'EUR', resolution_minutes: 60 as const };
  const theirs = await createSeries(db, { ...make, userId: admin.user_id });
  const own = await createSeries(db, { ...make, userId: home.userId });
  const tariff = (series_id: string, valid_from: string) => {
    const terms = { import: { series_id } };
    return createTariff(db, { userId: home.userId, name: 'hourly', valid_from, currency: 'EUR', terms });
  };
  await tariff(own.series_id, '2026-01-01');
  const { tariff_id } = await tariff(theirs.series_id, '2026-02-01');
  const accounts = [other.userId, home.userId];
  const steps: string[] = [];
  const patch = {
    user_id: home.userId,
    tariff_id,
    tariff: 'hourly',
    series_id: theirs.series_id,
    series: 'Day ahead',
  };
  expect(
    (await moveUsers(source.url, target.url, createMoveOptions(accounts, { step: (text) => void steps.push(text) })))
      .unpriced,
  ).toEqual([patch]);
  expect(steps.filter((text) => text.includes(`${home.userId}, tariff “hourly” (${tariff_id})`))).toHaveLength(1);
  expect((await moveUsers(source.url, target.url, createMoveOptions(accounts))).unpriced).toEqual([patch]);
  const there = createDatabase(target.pool);
  await updateTariff(there, ALL_ACCOUNTS, tariff_id, { terms: { import: { series_id: own.series_id } } });
  expect((await moveUsers(source.url, target.url, createMoveOptions(accounts))).unpriced).toEqual([]);
});

test('the command refuses impossible moves, and moves accounts without routers', async () => {
  const { source, target } = two;
  const home = await createTestMeter(source);
  const folder = await createTemporaryFolder();
  const file = join(folder.path, 'cells.json');
  const cells = { south: { database: target.url, secret_key_file: 'south.key' } };
  await writeFile(join(folder.path, 'south.key'), 'another secret\n');
  const energy = (...options: string[]) =>
    promisify(execFile)(process.execPath, [TESTED_PROGRAM, 'cells', ...options, '--file', file], {
      env: {
        PATH: process.env.PATH,
        DATA_DIR: folder.path,
        DATABASE_URL: source.url,
        SECRET_KEY: 'one secret, and it is long enough',
      },
    });
  await writeFile(file, JSON.stringify({ cells, exceptions: 'exceptions.map' }));
  await expect(energy('move', home.userId, '--to', 'south')).rejects.toThrow(/routers: must be set together with/);
  await writeFile(file, JSON.stringify({ cells }));
  await expect(energy('sync')).rejects.toThrow(/cells.json lists no routers/);
  await expect(energy('move', home.userId, '--to', 'north')).rejects.toThrow(/has no cell north/);
  await expect(energy('move', 'usr_nobody', '--to', 'south')).rejects.toThrow(/there is no account usr_nobody/);
  // The command waits for connected devices only if it moves an account itself.
  await moveUsers(source.url, target.url, createMoveOptions([home.userId]));
  const { stdout } = await energy('move', home.userId, '--to', 'south');
  expect(stdout).toMatch(/^Moved 0 accounts \(1 had moved before\)/);
  expect(stdout).toContain('There are no routers, so the devices of these accounts need the address of the new');
  await folder.remove();
});
