import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createWebhook, loadWebhookReceiver, updateWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { loadSecretKey } from '#src/start/secret-key.ts';
import { findIdempotentAnswer, storeIdempotentAnswer } from '#src/users/idempotent-answers.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder, startRole } from '#test/support/service.ts';

const TOKEN = 'a token of the receiver';
const REQUEST = { callerId: 'key_1', key: 'once', sha256: Buffer.alloc(32) };
const HOOK = { events: ['user.created'], url: 'https://example.com/hook', authToken: TOKEN } as const;

let database: TestDatabase;
let db: Database;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
  db = createDatabase(database.pool);
});
afterAll(async () => {
  await folder.remove();
  await database.drop();
});

const env = (): Record<string, string> => ({ DATA_DIR: folder.path, DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
const keyOf = (more: Record<string, string> = {}) => loadSecretKey(loadConfig({ ...env(), ...more }), db);
const file = () => join(folder.path, 'secret.key');

test('a missing or different secret key is an error if data was encrypted with it, until that data is given up', async () => {
  const made = await keyOf();
  expect(await keyOf()).toBe(made);
  // The database contains no encrypted data yet, so the service may create a new key file.
  renameSync(file(), `${file()}.first`);
  const secret = await keyOf();
  expect(secret).not.toBe(made);

  const { user_id: userId } = await createUser(db, { email: 'owner@example.com', role: 'homeowner' });
  const { webhook_id: webhookId } = await createWebhook(db, createSecretEncrypter(secret), userId, HOOK);
  await storeIdempotentAnswer(db, createSecretEncrypter(secret), { ...REQUEST, userId }, { status: 201, body: '{}' });
  renameSync(file(), `${file()}.kept`);
  const missing = /secret\.key is missing.*Restore the file.*SECRET_KEY.*energy secrets forget/;
  await expect(keyOf()).rejects.toThrow(missing);
  // Simulates an empty key file, as left by a power failure.
  writeFileSync(file(), '');
  await expect(keyOf()).rejects.toThrow(missing);
  renameSync(file(), `${file()}.empty`);
  await expect(startRole('api', env())).rejects.toThrow('ended with 1');
  expect(existsSync(file())).toBe(false);
  await expect(keyOf({ SECRET_KEY: 'x'.repeat(32) })).rejects.toThrow(/SECRET_KEY does not decrypt/);
  writeFileSync(file(), `${'y'.repeat(43)}\n`);
  await expect(keyOf()).rejects.toThrow(/secret\.key does not decrypt.*another key encrypted/);
  expect(await keyOf({ SECRET_KEY: secret })).toBe(secret);
  renameSync(`${file()}.kept`, file());
  expect(await keyOf()).toBe(secret);

  // Simulates that the key file has been lost.
  renameSync(file(), `${file()}.lost`);
  const giveUp = () => {
    const { stdout } = spawnSync(process.execPath, [TESTED_PROGRAM, 'secrets', 'forget', '--json'], {
      env: { PATH: process.env.PATH, ...env() },
      encoding: 'utf8',
    });
    return JSON.parse(stdout);
  };
  expect(giveUp()).toEqual({ webhooks: [{ webhook_id: webhookId, user_id: userId, url: HOOK.url }], answers: 1 });
  const next = await keyOf();
  expect(readFileSync(file(), 'utf8').trim()).toBe(next);
  const box = createSecretEncrypter(next);
  expect(await findIdempotentAnswer(db, box, { ...REQUEST, userId })).toEqual({ is: 'new' });
  expect((await loadWebhookReceiver(db, box, { webhookId, event: 'usage.updated' }, new Date()))?.secrets).toEqual([
    expect.not.stringContaining(TOKEN),
  ]);
  const resumed = await updateWebhook(
    db,
    box,
    ALL_ACCOUNTS,
    webhookId,
    { authToken: 'a token that is new', status: 'active' },
    new Date(),
  );
  expect(resumed?.status).toBe('active');
  expect((await loadWebhookReceiver(db, box, { webhookId, event: 'usage.updated' }, new Date()))?.secrets[0]).toBe(
    'a token that is new',
  );
  // A second call reports nothing, because no encrypted data is left.
  expect(giveUp()).toEqual({ webhooks: [], answers: 0 });
  const { rows } = await database.pool.query(`SELECT address FROM audit_log WHERE action = 'secrets.forgotten'`);
  expect(rows).toEqual([{ address: 'cli' }, { address: 'cli' }]);
});
