import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase, createPool, createQueryFunctionOnConnection } from '#src/database/connect.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { createDevice } from '#src/devices/store.ts';
import { addEvents } from '#src/events/outbox.ts';
import { createUser } from '#src/users/store.ts';
import { sendApiRequest } from '#test/support/api-request.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { type Installation, startChaosInstallation } from '../../../bench/chaos/installation.ts';

const ADMIN_KEY = `eus_live_${'a1'.repeat(16)}`;

let installation: Installation;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let target: string;
let port: number;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  target = join(folder.path, 'target');
  port = await findFreePort();
  const env = { BACKUP_TO: target, BOOTSTRAP_ADMIN_KEY: ADMIN_KEY, API_PORT: String(port) };
  installation = await startChaosInstallation({ broker: 'embedded', env });
});
afterAll(async () => {
  await installation.remove();
  await folder.remove();
});

/** Runs a CLI command with the settings of the service. Returns the JSON object that it prints. */
async function energy(...args: string[]): Promise<Record<string, unknown>> {
  const env = { PATH: process.env.PATH, DATA_DIR: join(installation.folder, 'data'), BACKUP_TO: target };
  const child = spawn(process.execPath, [TESTED_PROGRAM, ...args, '--json'], { env });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (text) => (output[name] += text));
  const [status] = await once(child, 'close');
  expect([status, output.stderr]).toEqual([0, '']);
  return JSON.parse(output.stdout);
}

const statusOf = async (path: string, key: string, method = 'GET') =>
  (await sendApiRequest(port, path, { key, method })).status;
const endedIds = async () =>
  (await readFile(join(target, 'ended.jsonl'), 'utf8').catch(() => ''))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).id);
const mails = async () =>
  (await readdir(join(installation.folder, 'data/mail')).catch(() => [])).filter((name) => name.endsWith('.eml'));

test('access that was revoked after the copy is still revoked when the restored installation starts, and due messages are sent only on command', async () => {
  const db = createDatabase(installation.pool);
  const account = async (email: string) => (await createUser(db, { email, role: 'homeowner' })).user_id;
  const [goneId, stayingId] = [await account('gone@example.com'), await account('staying@example.com')];
  const keyOf = (userId: string) => createKey(db, { userId, environment: 'live' });
  const [leaked, cliRevoked, valid] = [await keyOf(stayingId), await keyOf(stayingId), await keyOf(stayingId)];
  const { device } = await createDevice(db, { userId: stayingId, type: 'smart_meter', location: 'cellar' });
  const deviceId = device.device_id;
  const { gateway } = await createGateway(db, { userId: stayingId, name: 'bridge' });
  const gatewayId = gateway.gateway_id;
  const webhook = { event: 'usage.updated', url: 'https://hooks.example.net/', auth_token: 'a secret' };
  const sent = await sendApiRequest(port, '/v1/webhooks', { key: valid.key, method: 'POST', body: webhook });
  const webhookId = sent.json.webhook_id;
  // Deleting the member's account ends the membership, which sends a mail to the owner of the home.
  await installation.pool.query(
    `INSERT INTO home_members (member_id, user_id, email, access, created_at, member_user_id, accepted_at)
     VALUES ('mem_1', $1, 'gone@example.com', 'read', now(), $2, now())`,
    [stayingId, goneId],
  );
  const { rows: admins } = await installation.pool.query("SELECT user_id FROM users WHERE role = 'admin'");
  await installation.pool.query(
    `INSERT INTO apps VALUES ('app_kept', $1, 'x', 'https://a.example', 'public', '{https://a.example/}', NULL, '{insights:read}', NULL, now()),
       ('app_gone', $1, 'x', 'https://a.example', 'public', '{https://a.example/}', NULL, '{insights:read}', NULL, now())`,
    [admins[0].user_id],
  );
  await installation.pool.query(
    `INSERT INTO authorizations VALUES ('aut_ended', 'app_kept', $1, '{insights:read}', now(), NULL, NULL),
       ('aut_kept', 'app_kept', $1, '{insights:read}', now(), NULL, NULL)`,
    [stayingId],
  );
  await installation.pool.query(
    `INSERT INTO passkeys VALUES ('pky_gone', $1, 'AAAA', '\\x00', 0, 'localhost', 'x', now()), ('pky_kept', $2, 'BBBB', '\\x00', 0, 'localhost', 'x', now())`,
    [goneId, stayingId],
  );
  const copied = await energy('backup', '--to', target);

  // When a key is revoked or an account is deleted, the service writes its id into a file before it responds to the request.
  expect(await statusOf(`/v1/keys/${leaked.key_id}`, ADMIN_KEY, 'DELETE')).toBe(200);
  expect(await endedIds()).toEqual([leaked.key_id]);
  expect(await statusOf(`/v1/users/${goneId}`, ADMIN_KEY, 'DELETE')).toBe(200);
  const erased = new Set([goneId, 'mem_1', 'pky_gone']);
  expect(new Set((await endedIds()).slice(1))).toEqual(erased);
  for (const path of [`devices/${deviceId}`, `gateways/${gatewayId}`, `webhooks/${webhookId}`])
    expect([path, await statusOf(`/v1/${path}`, ADMIN_KEY, 'DELETE')]).toEqual([path, 200]);
  expect(await statusOf('/v1/authorizations/aut_ended', valid.key, 'DELETE')).toBe(200);
  expect(await statusOf('/v1/apps/app_gone', ADMIN_KEY, 'DELETE')).toBe(200);
  await energy('keys', 'revoke', cliRevoked.key_id);
  const ended = [deviceId, gatewayId, webhookId, 'aut_ended', 'app_gone', cliRevoked.key_id];
  expect((await endedIds()).slice(4)).toEqual(ended);
  expect((await stat(join(target, 'ended.jsonl'))).mode & 0o777).toBe(0o600);

  const dataDir = join(installation.folder, 'data');
  const secret = await readFile(join(dataDir, 'secret.key'), 'utf8');
  installation.kill('energy supervisor');
  installation.kill('postgres');
  await expect.poll(() => installation.pidsOf('energy')).toEqual([]);
  await rm(dataDir, { recursive: true });
  const at = copied.complete_until as string;
  const restored = await energy('restore', '--from', target, '--at', at, '--data-dir', dataDir);
  expect(restored).toMatchObject({ until: at, endings: 10, torn_lines: 0 });
  await writeFile(join(dataDir, 'secret.key'), secret, { mode: 0o600 });

  // The restored database still contains the revoked access. The test adds a mail that is due before the service starts.
  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  const pool = createPool(server.url, { max: 1 });
  const { rows } = await pool.query(
    `SELECT (SELECT count(*) FROM users WHERE user_id = $1)::int AS users, (SELECT count(*) FROM webhooks)::int AS webhooks, (SELECT count(*) FROM devices WHERE deleted_at IS NULL)::int AS devices,
       (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL AND key_id = ANY ($2))::int AS keys`,
    [goneId, [leaked.key_id, cliRevoked.key_id]],
  );
  expect(rows).toEqual([{ users: 1, webhooks: 1, devices: 1, keys: 2 }]);
  const data = { because: 'link' as const, keys: [], sessions: [], webhooks: [] };
  const due = { type: 'access.ended' as const, userId: stayingId, data, channel: 'email' as const };
  await addEvents(createQueryFunctionOnConnection(pool), [due], new Date(Date.now() - 60_000));
  await pool.query('INSERT INTO usage_changes (hour, user_ids) VALUES (now(), ARRAY[$1])', [stayingId]);
  await pool.end();
  await server.stop();

  await installation.start();
  expect(await statusOf('/v1/keys', leaked.key)).toBe(401);
  expect(await statusOf('/v1/keys', cliRevoked.key)).toBe(401);
  expect(await statusOf('/v1/keys', valid.key)).toBe(200);
  for (const path of [`users/${goneId}`, `devices/${deviceId}`, `gateways/${gatewayId}`, `webhooks/${webhookId}`])
    expect([path, await statusOf(`/v1/${path}`, ADMIN_KEY)]).toEqual([path, 404]);
  const authorizations = await sendApiRequest(port, '/v1/authorizations', { key: valid.key });
  expect(authorizations.json).toMatchObject([{ authorization_id: 'aut_kept' }]);
  expect(await statusOf('/v1/apps/app_gone', ADMIN_KEY)).toBe(404);
  // Wait longer than 200 ms, the interval at which the worker looks for due deliveries.
  await sleep(2_000);
  expect(await mails()).toEqual([]);
  expect(await energy('backup', 'release')).toEqual({ deliveries: 1, changes: 1, dropped: false });
  await expect.poll(mails).toHaveLength(1);
});
