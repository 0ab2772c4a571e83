import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAuthorization } from '#src/auth/authorizations.ts';
import { buildProgram, COMMAND_LOADERS } from '#src/cli/program.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const today = new Date();
/** Last month as YYYY-MM. Unlike the current month, it is complete. */
const MONTH = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let home: TestMeter;
let email: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await createTemporaryFolder();
  home = await createTestMeter(database);
  await home.read([
    [new Date(`${MONTH}-20T10:00:00Z`), 1],
    [new Date(`${MONTH}-20T12:00:00Z`), 3.5],
    [new Date(`${MONTH}-21T12:00:00Z`), 4],
  ]);
  const { rows } = await database.pool.query('SELECT email FROM users WHERE user_id = $1', [home.userId]);
  email = rows[0].email;
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

/** Runs a command in a separate process with `input` as its standard input. */
async function runSeparately(args: string[], input: string) {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: folder.path };
  const child = spawn(process.execPath, [TESTED_PROGRAM, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, out };
}

/** Runs a command in this process, because starting a process takes longer than most commands. */
async function energy(args: string[]) {
  let [out, err] = ['', ''];
  const log = vi.spyOn(console, 'log').mockImplementation((line) => {
    out += `${line}\n`;
  });
  const error = vi.spyOn(console, 'error').mockImplementation((line) => {
    err += `${line}\n`;
  });
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATA_DIR', folder.path);
  try {
    const load = COMMAND_LOADERS[args[0] ?? ''] ?? expect.fail(args[0]);
    await buildProgram([await load()]).parseAsync(args, { from: 'user' });
    return { code: 0, out, err, codeAndMessage: `0 ${err}` };
  } catch (failed) {
    return { code: 1, out, err, codeAndMessage: `1 ${(failed as Error).message}\n` };
  } finally {
    log.mockRestore();
    error.mockRestore();
    vi.unstubAllEnvs();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
async function json(args: string[], input?: string): Promise<any[]> {
  const asked = [...args, '--json'];
  const { code, out, codeAndMessage } =
    input === undefined ? await energy(asked) : { codeAndMessage: '', ...(await runSeparately(asked, input)) };
  expect(`${code} ${codeAndMessage}`).toMatch(/^0 (0 (There are more.*\n)?)?$/);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
const lastAct = async () => (await json(['audit', '--limit', '1']))[0];

test('users: lists pages, gets and updates by e-mail address, and records it in the audit log', async () => {
  for (const name of ['a', 'b', 'c']) await json(['users', 'create', '--email', `${name}@pages.example`]);
  const first = await energy(['users', 'list', '--search', 'pages', '--limit', '2']);
  expect(first.out).toMatch(
    /^USER_ID +EMAIL +ROLE +PLAN +TIMEZONE +CREATED_AT\nusr_\w+ +a@pages\.example .*\nusr_\w+ +b@/,
  );
  const [, cursor = ''] = /--cursor (\S+),/.exec(first.err) ?? [];
  const next = await json(['users', 'list', '--search', 'pages', '--cursor', cursor]);
  expect(next.map((one) => one.email)).toEqual(['c@pages.example']);
  expect((await json(['users', 'list', '--all'])).length).toBeGreaterThanOrEqual(4);

  expect(await json(['users', 'get', 'A@pages.example'])).toMatchObject([{ email: 'a@pages.example', plan: 'free' }]);
  expect((await energy(['users', 'get', 'a@pages.example'])).out).toMatch(
    /^user_id +usr_\w+\nemail +a@pages\.example\n/,
  );
  const patch = ['--phone', '+4915112345678', '--plan', 'developer', '--timezone', 'Europe/Berlin'];
  const [changed] = await json(['users', 'update', 'a@pages.example', ...patch]);
  expect(changed).toMatchObject({ phone: '+4915112345678', plan: 'developer', timezone: 'Europe/Berlin' });
  expect(await json(['users', 'update', 'a@pages.example', '--phone', 'none'])).toMatchObject([{ phone: null }]);
  expect(await lastAct()).toMatchObject({
    action: 'user.changed',
    target: changed.user_id,
    actor_user_id: null,
    address: 'cli',
    details: { members: ['phone'] },
  });
});

test('reports invalid input in terms of options, and changes nothing', async () => {
  expect((await energy(['users', 'get', 'nobody@example.com'])).codeAndMessage).toBe(
    '1 There is no user nobody@example.com\n',
  );
  expect((await energy(['users', 'update', email, '--plan', 'gold'])).codeAndMessage).toMatch(
    /^1 --plan: must be one of free, /,
  );
  expect((await energy(['users', 'update', email])).codeAndMessage).toMatch(
    /^1 Nothing to change: name at least one of --email/,
  );
  expect((await energy(['users', 'update', email, '--email', 'b@pages.example'])).codeAndMessage).toMatch(
    /^1 .*e-mail/i,
  );
  expect((await energy(['devices', 'get', 'dev_x\n'])).codeAndMessage).toMatch(/^1 There is no device dev_x/);
  expect((await energy(['devices', 'update', home.deviceId, '--limit-kw', 'much'])).codeAndMessage).toMatch(
    /^1 --limit-kw: must be/,
  );
  expect(
    (await energy(['alerts', 'create', '--user', email, '--type', 'no_data', '--delivery', 'email'])).codeAndMessage,
  ).toMatch(/^1 --threshold-hours: is required with type no_data/);
  expect((await energy(['users', 'list', '--cursor', 'made-up'])).codeAndMessage).toMatch(
    /^1 --cursor: must come from a Link of this list/,
  );
  expect((await energy(['users', 'list', '--limit', '1000'])).codeAndMessage).toMatch(/^1 --limit: /);
  const pair = (...more: string[]) => energy(['devices', 'create', '--user', email, ...more]);
  expect((await pair('--upstream', 'dev_x')).codeAndMessage).toMatch(/^1 --upstream-device-id: /);
  expect((await pair('--upstream-device-id', 'dev_x')).codeAndMessage).toMatch(/^1 --upstream-device-id: /);
  expect((await pair('--type', 'x'.repeat(65))).codeAndMessage).toMatch(/^1 --type: /);
  expect((await pair('--discovery', 'dsc_x')).codeAndMessage).toMatch(
    /^1 There is no discovered device dsc_x of .* energy devices discovered --user /,
  );
  expect((await energy(['gateways', 'create', '--user', email, '--name', ''])).codeAndMessage).toMatch(/^1 --name: /);
  const key = (...more: string[]) => energy(['keys', 'create', '--user', email, ...more]);
  expect((await key('--name', 'x'.repeat(101))).codeAndMessage).toMatch(/^1 --name: /);
  expect((await key('--scopes', 'devices:read,x')).codeAndMessage).toMatch(/^1 --scopes\.1: must be one of /);
  const twice = 'users:read,insights:read,users:read';
  expect((await key('--scopes', twice)).codeAndMessage).toMatch(/^1 --scopes: must not repeat/);
  expect((await key('--device', 'dev_x')).codeAndMessage).toMatch(/^1 There is no device dev_x that .* can access/);
  expect((await energy(['keys', 'create', '--device', 'dev_x'])).codeAndMessage).toMatch(/^1 There is no device dev_x/);
  expect((await energy(['keys', 'create'])).codeAndMessage).toMatch(/^1 Name --user, --device or both/);
  const listen = (...more: string[]) =>
    energy(['webhooks', 'listen', '--user', email, '--forward-to', 'http://localhost:1/', ...more]);
  expect((await listen('--auth-token', 'short')).codeAndMessage).toMatch(/^1 --auth-token: must be whsec_/);
  expect((await listen('--events', 'user.created,x')).codeAndMessage).toMatch(/^1 --events\.1: must be one of /);
});

test('devices: lists, gets with channels, updates and deletes', async () => {
  expect((await energy(['devices', 'list', '--user', email])).out).toContain(home.deviceId);
  expect((await json(['devices', 'get', home.deviceId]))[0].channels).toHaveLength(1);
  const patch = ['--limit-kw', '42', '--location', 'cellar', '--timezone', 'Europe/Paris'];
  expect(await json(['devices', 'update', home.deviceId, ...patch])).toMatchObject([
    { limit_kw: 42, location: 'cellar', timezone: 'Europe/Paris' },
  ]);
  const [other] = await json(['devices', 'create', '--user', email]);
  const refused = await energy(['devices', 'delete', other.device_id]);
  expect(refused.codeAndMessage).toMatch(/^1 Delete device dev_\w+ \(.*\)\? Nothing was changed: add --yes/);
  const ended = await energy(['devices', 'delete', other.device_id, '--yes']);
  expect([ended.code, ended.out]).toEqual([0, expect.stringMatching(/^Device dev_\w+ was deleted/)]);
  expect(await lastAct()).toMatchObject({ action: 'device.deleted', target: other.device_id });
  expect((await energy(['devices', 'delete', other.device_id, '--yes'])).codeAndMessage).toMatch(
    /^1 There is no device/,
  );
});

test('gateways: renames them, and sets values that devices do not report', async () => {
  const [{ gateway_id }] = await json(['gateways', 'create', '--user', email]);
  expect((await json(['gateways', 'list', '--user', email])).map((one) => one.gateway_id)).toEqual([gateway_id]);
  const setting = { tz: 'Europe/Berlin' };
  const patch = ['--name', 'holiday home', '--decoder-config', JSON.stringify(setting)];
  expect(await json(['gateways', 'update', gateway_id, ...patch])).toMatchObject([
    { gateway_id, name: 'holiday home', decoder_config: setting },
  ]);
  expect(await lastAct()).toMatchObject({ action: 'gateway.changed', target: gateway_id, address: 'cli' });
  const refused = async (config: string) =>
    (await energy(['gateways', 'update', gateway_id, '--decoder-config', config])).codeAndMessage;
  expect(await refused('{"tz":"Nowhere"}')).toMatch(/^1 --decoder-config\.tz: must be a time zone/);
  expect(await refused('{')).toMatch(/^1 --decoder-config: must be an object/);
  const command = { topic: 'boiler/set', unit: 'kWh', meaning: 'import' };
  expect(await refused(JSON.stringify({ mapping: [command] }))).toMatch(
    /^1 --decoder-config\.mapping\.0\.topic: matches commands or requests/,
  );
});

test('devices discovered: prints all, page by page', async () => {
  const [{ gateway_id }] = await json(['gateways', 'create', '--user', email]);
  await database.pool.query(
    `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id)
     SELECT 'dsc_' || lpad(n::text, 3, '0'), $1, 'tasmota', 'plug ' || n FROM generate_series(1, 201) n`,
    [gateway_id],
  );
  const ids = (await json(['devices', 'discovered', '--user', email])).map((one) => one.discovery_id);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([201, 'dsc_001', 'dsc_201']);
});

test('keys: lists and gets without the secret, and revokes', async () => {
  const [created] = await json(['keys', 'create', '--user', email, '--name', 'gateway', '--scopes', 'devices:read']);
  expect(Object.keys(created)).toEqual(['key_id', 'key', 'prefix', 'scopes', 'expires_at']);
  const listed = await json(['keys', 'list', '--user', home.userId]);
  expect(listed).toMatchObject([{ key_id: created.key_id, name: 'gateway', scopes: ['devices:read'] }]);
  expect(await json(['keys', 'get', created.key_id])).toMatchObject([{ ...listed[0], user_id: home.userId }]);
  expect(JSON.stringify(listed)).not.toContain(created.key);
  await json(['keys', 'delete', created.key_id, '--yes']);
  expect(await json(['keys', 'list', '--user', email])).toEqual([]);
  const [limited] = await json(['keys', 'create', '--user', email, '--allow', '10.0.0.0/8']);
  expect(limited).toMatchObject({ allowed_addresses: ['10.0.0.0/8'] });
  await json(['keys', 'delete', limited.key_id, '--yes']);
  const [ofDevice] = await json(['keys', 'create', '--device', home.deviceId, '--expires', '2d']);
  expect(ofDevice).toMatchObject({ device_id: home.deviceId, scopes: ['readings:write'] });
  expect(Date.parse(ofDevice.expires_at) - Date.now()).toBeGreaterThan(86_400_000);
  expect(await lastAct()).toMatchObject({ action: 'key.created', target: ofDevice.key_id, address: 'cli' });
  await json(['keys', 'delete', ofDevice.key_id, '--yes']);
  expect((await energy(['keys', 'get', created.key_id])).codeAndMessage).toMatch(/^1 There is no valid key/);
});

test('keys: limits, rotates and revokes, also a member’s key for the home', async () => {
  const [created] = await json(['keys', 'create', '--user', email]);
  const limits = ['--allow', '10.0.0.0/8', '--expires', '2d'];
  const [limited] = await json(['keys', 'limit', created.key_id, ...limits]);
  expect(limited).toMatchObject({ key_id: created.key_id, allowed_addresses: ['10.0.0.0/8'] });
  expect(Date.parse(limited.expires_at) - Date.now()).toBeGreaterThan(86_400_000);
  expect(await lastAct()).toMatchObject({ action: 'key.changed', target: created.key_id, address: 'cli' });
  const [rotated] = await json(['keys', 'rotate', created.key_id, '--overlap', '1h']);
  expect(rotated).toMatchObject({ key: expect.stringMatching(/^eus_live_/), allowed_addresses: ['10.0.0.0/8'] });
  expect(Date.parse(rotated.old_expires_at) - Date.now()).toBeLessThan(3_600_001);
  expect(await lastAct()).toMatchObject({ action: 'key.rotated', target: created.key_id, address: 'cli' });
  expect(await json(['keys', 'revoke', rotated.key_id])).toEqual([{ key_id: rotated.key_id, revoked: true }]);
  expect(await lastAct()).toMatchObject({ action: 'key.revoked', target: rotated.key_id, address: 'cli' });
  for (const args of [
    ['limit', rotated.key_id, '--expires', '1d'],
    ['rotate', rotated.key_id],
    ['revoke', 'key_x'],
  ])
    expect((await energy(['keys', ...args])).codeAndMessage).toMatch(/^1 There is no valid key/);
  // Over HTTPS, only a member may change the member's key for a home. On the command line, an operator may change it, too.
  const [ofMember] = await json(['keys', 'create', '--user', email]);
  const other = await createUser(createDatabase(database.pool), { email: 'other@example.com', role: 'homeowner' });
  await database.pool.query(
    `INSERT INTO home_members (member_id, user_id, email, access, created_at, member_user_id, accepted_at)
     VALUES ('mem_x', $1, $2, 'manage', now(), $3, now())`,
    [other.user_id, email, home.userId],
  );
  await database.pool.query(`UPDATE api_keys SET member_id = 'mem_x' WHERE key_id = $1`, [ofMember.key_id]);
  expect(await json(['keys', 'limit', ofMember.key_id, '--allow', '10.0.0.0/8'])).toMatchObject([
    { key_id: ofMember.key_id },
  ]);
  await json(['keys', 'revoke', ofMember.key_id]);
  await json(['keys', 'revoke', created.key_id]);
});

test('rejected messages: replays those of an existing device', async () => {
  expect(await json(['rejected', 'replay', '--device', home.deviceId])).toMatchObject([{ messages: 0 }]);
  expect(await lastAct()).toMatchObject({ action: 'rejected.replayed', target: home.deviceId });
  expect((await energy(['rejected', 'replay', '--device', 'dev_x'])).codeAndMessage).toMatch(
    /^1 There is no device dev_x/,
  );
  expect(await lastAct()).toMatchObject({ target: home.deviceId });
});

test('alerts and webhooks: apply the API’s rules; a secret is read from standard input', async () => {
  const wanted = ['--type', 'daily_usage', '--threshold-kwh', '12.5', '--delivery', 'email'];
  const [{ alert_id }] = await json(['alerts', 'create', '--user', email, ...wanted]);
  expect(await json(['alerts', 'list', '--user', email])).toMatchObject([{ alert_id, threshold_kwh: 12.5 }]);
  const [paused] = await json(['alerts', 'update', alert_id, '--status', 'paused', '--threshold-kwh', '20']);
  expect(paused).toMatchObject({ status: 'paused', threshold_kwh: 20 });
  expect((await energy(['alerts', 'update', alert_id, '--delivery', 'sms'])).codeAndMessage).toMatch(/^1 .*phone/i);

  const token = 'whsec_dGhlIHNlY3JldCBvZiB0aGlzIHRlc3QuLi4u';
  const hook = ['--event', 'alert.triggered', '--url', 'https://receiver.example/hook', '--auth-token', '-'];
  const [{ webhook_id }] = await json(['webhooks', 'create', '--user', email, ...hook], `${token}\n`);
  expect(await json(['webhooks', 'get', webhook_id])).toMatchObject([{ user_id: home.userId, status: 'active' }]);
  const [queued] = await json(['webhooks', 'test', webhook_id]);
  expect(await json(['webhooks', 'deliveries', webhook_id])).toMatchObject([{ delivery_id: queued.delivery_id }]);
  expect(await json(['webhooks', 'retry', webhook_id, queued.delivery_id])).toMatchObject([{ status: 'pending' }]);
  expect(await json(['webhooks', 'update', webhook_id, '--status', 'paused'])).toMatchObject([{ status: 'paused' }]);
  expect(await json(['alerts', 'update', alert_id, '--status', 'active'])).toMatchObject([{ status: 'active' }]);
  await json(['alerts', 'delete', alert_id, '--yes']);
  await json(['webhooks', 'delete', webhook_id, '--yes']);
  expect(await json(['webhooks', 'list', '--user', email])).toEqual([]);
  expect((await energy(['audit'])).out).not.toContain(token);
});

test('apps and authorizations: registers an app of a utility, and ends the access to a home with a mail', async () => {
  await json(['users', 'create', '--email', 'bright@apps.example', '--role', 'utility']);
  const settings = ['--name', 'Bright Home', '--website', 'https://bright.example.com', '--type', 'confidential'];
  const more = ['--redirect-uris', 'https://bright.example.com/callback', '--scopes', 'insights:read,alerts:write'];
  const create = (user: string) => ['apps', 'create', '--user', user, ...settings, ...more];
  expect((await energy(create(email))).codeAndMessage).toMatch(
    /^1 .* is a homeowner\. Only utilities and administrators/,
  );
  const [app] = await json(create('bright@apps.example'));
  expect(app).toMatchObject({
    client_id: app.app_id,
    client_secret: expect.stringMatching(/^eus_cs_/),
    redirect_uris: ['https://bright.example.com/callback'],
    scopes: ['insights:read', 'alerts:write'],
  });
  expect(await lastAct()).toMatchObject({ action: 'app.created', target: app.app_id, address: 'cli' });
  const [changed] = await json(['apps', 'update', app.app_id, '--name', 'Brighter', '--scopes', 'insights:read']);
  expect(changed).toMatchObject({ name: 'Brighter', scopes: ['insights:read'] });
  const loopback = ['apps', 'update', app.app_id, '--redirect-uris', 'http://127.0.0.1/'];
  expect((await energy(loopback)).codeAndMessage).toMatch(/^1 --redirect-uris: .*only a public app/);
  const list = ['apps', 'list', '--user', 'bright@apps.example'];
  expect((await energy(list)).out).toMatch(/^APP_ID +NAME .*\napp_\w+ +Brighter +confidential +insights:read +https:/);
  expect((await energy(list)).out).not.toContain(app.client_secret);

  const now = new Date();
  const consented = { homeId: home.userId, app, scopes: ['insights:read'] as const, days: 30, now };
  const db = createDatabase(database.pool);
  const id = await db.transaction().execute((trx) => createAuthorization(trx, consented));
  expect((await energy(['authorizations', 'list', '--user', email])).out).toMatch(
    /^AUTHORIZATION_ID +APP\.NAME .*\naut_\w+ +Brighter /,
  );
  expect(await json(['authorizations', 'list', '--user', email])).toMatchObject([{ authorization_id: id }]);
  expect((await energy(['authorizations', 'end', 'aut_none'])).codeAndMessage).toBe(
    '1 There is no authorization aut_none\n',
  );
  expect(await lastAct()).toMatchObject({ action: 'app.changed' });
  expect(await json(['authorizations', 'end', id])).toEqual([{ authorization_id: id, ended: true }]);
  expect(await lastAct()).toMatchObject({ action: 'authorization.ended', target: id, actor_user_id: null });
  expect(await json(['authorizations', 'list', '--user', email])).toEqual([]);
  const { rows } = await database.pool.query(
    `SELECT data ->> 'because' AS because FROM events WHERE user_id = $1 AND type = 'authorization.ended'`,
    [home.userId],
  );
  expect(rows).toEqual([{ because: 'operator' }]);
  await json(['apps', 'delete', app.app_id, '--yes']);
  expect(await json(list)).toEqual([]);
});

test('usage: of a home and of a device', async () => {
  const days = ['--start', `${MONTH}-20`, '--end', `${MONTH}-21`];
  const [{ user_id, data }] = await json(['usage', 'get', email, ...days]);
  expect(user_id).toBe(home.userId);
  expect(data).toMatchObject([{ date: `${MONTH}-20` }, { date: `${MONTH}-21` }]);
  expect(data[0].kwh_used + data[1].kwh_used).toBeCloseTo(3, 3);
  expect((await energy(['usage', 'get', email, ...days])).out).toMatch(
    new RegExp(`^DATE +KWH_USED +PEAK_HOUR\\n${MONTH}-20 `),
  );
  const [device] = await json(['usage', 'device', home.deviceId, ...days, '--group-by', 'month']);
  expect(device.data).toMatchObject([{ date: `${MONTH}-01`, kwh_used: 3 }]);
  expect((await json(['usage', 'months', email, '--months', '2']))[0].data.length).toBeGreaterThan(0);
  expect(
    (await energy(['usage', 'get', email, '--start', '2026-11-31', '--end', '2026-12-01'])).codeAndMessage,
  ).toMatch(/^1 --start: /);
});

test('usage: explains why a device has no usage', async () => {
  const fresh = await createTestMeter(database);
  const usageOutput = async () => (await energy(['usage', 'device', fresh.deviceId])).out;
  expect(await usageOutput()).toBe('The device has no energy readings.\n');
  const now = Date.now();
  const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000);
  await fresh.read([[at(90), 7]]);
  expect(await usageOutput()).toBe(
    `The device has one reading, at ${at(90).toISOString()}. Usage is the difference between two readings, and begins with the second.\n`,
  );
  expect((await json(['usage', 'device', fresh.deviceId]))[0].data).toEqual([]);
  await fresh.read([[at(80), 7.5]]);
  expect(await usageOutput()).toMatch(/^DATE +KWH_USED /);
  const before = ['--start', '2025-12-01', '--end', '2025-12-02'];
  const printUsageBefore = async (deviceId: string) => (await energy(['usage', 'device', deviceId, ...before])).out;
  const unknown =
    'The device has no known usage in this time. For production or storage, add --include production (a battery: charged,discharged).\n';
  expect(await printUsageBefore(fresh.deviceId)).toBe(unknown);
  // Unlike a register, a reading with the energy of an interval counts without an earlier reading.
  const counting = await createTestMeter(database);
  await counting.read([[at(90), 0.5]], new Date(), { intervalMs: 15 * 60_000 });
  expect(await printUsageBefore(counting.deviceId)).toBe(unknown);
  // 0.5 kWh in 2 s is 900 kW, more than the default limit of 100 kW.
  const steep = await createTestMeter(database);
  const heldAt = new Date(at(1).getTime() + 2_000);
  await steep.read([[at(1), 4711.235]]);
  await steep.read([[heldAt, 4711.735]]);
  expect((await energy(['usage', 'device', steep.deviceId])).out).toBe(
    `The device has no known usage in this time. The latest reading of "import energy_total_kwh", at ${heldAt.toISOString()}, is on hold and does not count yet: since the last counted reading, the register fell, or rose faster than the device’s limit_kw. Send further readings: they decide whether it counts.\n`,
  );
});

/** Runs a command on a terminal (script(1)) and types `answer` when the command asks its first question. */
async function onTerminal(args: string[], answer: string): Promise<string> {
  const line = [process.execPath, TESTED_PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: folder.path, TERM: 'dumb' };
  const child = spawn('script', ['-qec', line, '/dev/null'], { env });
  let output = '';
  let isAnswered = false;
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (isAnswered || !output.includes('[y/N]')) return;
    isAnswered = true;
    child.stdin.write(answer);
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return `${code} ${output}`;
}

test('asks on a terminal before a deletion, and accepts only yes', async () => {
  const [{ device_id }] = await json(['devices', 'create', '--user', email]);
  for (const answer of ['n\r', '\r', '\u0004'])
    expect(await onTerminal(['devices', 'delete', device_id], answer)).toMatch(
      /^1 Delete device [\s\S]*Nothing was changed/,
    );
  expect(await onTerminal(['devices', 'delete', device_id], 'y\r')).toMatch(/^0 [\s\S]*was deleted/);
});

test('erases an account after two confirmations', async () => {
  const [{ user_id }] = await json(['users', 'create', '--email', 'gone@example.com']);
  expect((await energy(['users', 'delete', 'gone@example.com'])).codeAndMessage).toMatch(/^1 .*add --yes/);
  await json(['users', 'delete', 'gone@example.com', '--yes']);
  expect((await energy(['users', 'get', user_id])).codeAndMessage).toMatch(/^1 There is no user/);
  const act = await lastAct();
  expect(act).toMatchObject({ action: 'user.deleted', address: 'cli' });
  expect(JSON.stringify(act)).not.toContain(user_id);
});

// Each command runs in a separate process, because a running process cannot change its time zone.
test.each([
  [[], 'Europe/Rome', 'Europe/Rome', true],
  [['--timezone', 'Asia/Tokyo'], 'Europe/Rome', 'Asia/Tokyo', true],
  [['--timezone', 'UTC'], 'Europe/Rome', 'UTC', true],
  // UTC is the zone of a machine without a time zone setting. The account gets no zone, so the dashboard asks for it.
  [[], 'UTC', 'UTC', false],
])('users create %j on a machine in %s creates an account in %s', async (args, zone, timezone, isGiven) => {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: folder.path, TZ: zone };
  const address = `zone-${randomUUID()}@example.com`;
  const run = (...more: string[]) =>
    spawnSync(process.execPath, [TESTED_PROGRAM, 'users', 'create', ...args, ...more], { env, encoding: 'utf8' })
      .stdout;
  const { user_id, ...answer } = JSON.parse(run('--email', address, '--json'));
  expect(answer).toEqual({ status: 'created', timezone });
  const asked = await createDatabase(database.pool)
    .selectFrom('users')
    .select(['timezone', 'is_timezone_given'])
    .where('user_id', '=', user_id)
    .executeTakeFirst();
  expect(asked).toEqual({ timezone, is_timezone_given: isGiven });
  const creation = run('--email', `x-${address}`);
  expect(creation).toContain(`time zone ${timezone}`);
  expect(creation.includes('this machine’s; change it with energy users update')).toBe(args.length === 0);
});
