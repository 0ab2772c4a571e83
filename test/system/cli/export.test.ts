import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { unzip } from '#test/support/unzip.ts';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let home: TestMeter;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await createTemporaryFolder();
  home = await createTestMeter(database);
  await home.read([
    [new Date(Date.now() - 7_200_000), 1],
    [new Date(Date.now() - 3_600_000), 2],
  ]);
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

const energy = async (...args: string[]) => {
  const env = { ...process.env, DATABASE_URL: database.url, DATA_DIR: folder.path };
  return promisify(execFile)(process.execPath, [TESTED_PROGRAM, ...args], { env });
};

test('energy export writes a file that only its owner can read, completely or not at all, and records it in the audit log', async () => {
  await mkdir(join(folder.path, 'mail'));
  await writeFile(join(folder.path, 'mail', `${home.userId}.evt_1.eml`), 'kept');
  const output = join(folder.path, 'home.zip');
  await writeFile(output, 'an older one');
  const { stdout, stderr } = await energy('export', home.userId, '--output', output, '--json');
  expect(stderr).toBe('');
  const done = JSON.parse(stdout);
  expect(done).toEqual({ user_id: home.userId, file: output, bytes: (await stat(output)).size });
  expect((await stat(output)).mode & 0o777).toBe(0o600);
  const files = await unzip(await readFile(output));
  expect(String(files.get('readings.csv')).trimEnd().split('\n')).toHaveLength(3);
  expect(String(files.get(`messages/mail/${home.userId}.evt_1.eml`))).toBe('kept');
  expect((await readdir(folder.path)).filter((name) => /unfinished/.test(name))).toEqual([]);
  await expect(energy('export', 'usr_nobody', '--output', join(folder.path, 'x.zip'))).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no user usr_nobody'),
  });
  await expect(energy('export', home.userId, '--output', join(folder.path, 'no', 'x.zip'))).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ENOENT'),
  });
  expect((await readdir(folder.path)).sort()).toEqual(['home.zip', 'mail']);
  const acts = (await energy('audit', '--user', home.userId, '--json')).stdout.trimEnd().split('\n');
  expect(JSON.parse(acts[0] ?? '')).toMatchObject({ action: 'user.exported', target: home.userId, address: 'cli' });
  expect((await energy('audit')).stdout).toMatch(/user\.exported {2}usr_\w+ \(\S+@\S+\) {2}by - from cli/);
});

test('energy import reports a missing file before any other problem', async () => {
  const from = (file: string) =>
    energy('import', '--device', 'dev_x', '--time-column', 'time', '--register-column', 'kwh', file);
  const failsWith = (stderr: string) => ({ code: 1, stderr: expect.stringContaining(stderr) });
  const missing = join(folder.path, 'none.csv');
  await expect(from(missing)).rejects.toMatchObject(failsWith(`There is no file ${missing}. Paths are relative to `));
  await expect(from(folder.path)).rejects.toMatchObject(failsWith(`${folder.path} is a folder. Name the files in it`));
});

test('energy accepts a user’s e-mail address, too', async () => {
  const created = JSON.parse((await energy('users', 'create', '--email', 'Named@example.com', '--json')).stdout);
  const output = join(folder.path, 'named.zip');
  const { stdout } = await energy('export', 'named@EXAMPLE.com', '--output', output, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ user_id: created.user_id });
  await expect(energy('devices', 'create', '--user', 'nobody@example.com')).rejects.toMatchObject({
    stderr: expect.stringContaining('There is no user nobody@example.com'),
  });
});
