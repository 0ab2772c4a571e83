import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '#src/database/connect.ts';
import { getSuperuserUrl, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { startFleet } from '../../../bench/chaos/fleet.ts';
import { type Installation, startChaosInstallation } from '../../../bench/chaos/installation.ts';

let installation: Installation;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let target: string;
let passphrase: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  target = join(folder.path, 'target');
  passphrase = join(folder.path, 'passphrase');
  await writeFile(passphrase, 'correct horse battery staple\n');
  await writeFile(`${passphrase}.wrong`, 'incorrect horse battery\n');
  const keyFile = join(folder.path, 'key.json');
  const made = await energy('backup', 'init', '--passphrase-file', passphrase, '--key-file', keyFile);
  expect(made).toMatchObject({ status: 0 });
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  const env = { BACKUP_TO: target, BACKUP_KEY_FILE: keyFile };
  installation = await startChaosInstallation({ broker: 'embedded', env });
});
afterAll(async () => {
  await installation.remove();
  await folder.remove();
});

/** Runs a command of the service on the installation's data directory. */
async function energy(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const dataDir = installation ? join(installation.folder, 'data') : folder.path;
  const child = spawn(process.execPath, [TESTED_PROGRAM, ...args], {
    env: { PATH: process.env.PATH, TMPDIR: folder.path, DATA_DIR: dataDir },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (text) => (output[name] += text));
  const [status] = await once(child, 'close');
  return { status, ...output };
}

const CONTENT = `SELECT (SELECT count(*) FROM readings)::int AS readings, (SELECT sum(energy_milliwatt_hours) FROM user_hourly)::bigint AS "milliwattHours",
  (SELECT count(*) FROM api_keys)::int AS keys, (SELECT array_agg(device_id ORDER BY 1) FROM devices) AS devices`;

/** Publishes readings for a while. Returns the number of acknowledged readings. */
async function stream(players: Awaited<ReturnType<Installation['players']>>, ms: number): Promise<number> {
  const fleet = startFleet(installation.brokerUrl, players, 300);
  await new Promise((done) => setTimeout(done, ms));
  await fleet.finish();
  return fleet.acknowledged;
}

/** Returns the name of the installation's folder in the backup target, ignoring the folder `but`. Expects exactly one folder. */
async function findInstallationFolder(but = ''): Promise<string> {
  const all = await readdir(target).catch(() => []);
  const names = all.filter((name) => name.startsWith('installation-') && name !== but);
  expect(names).toHaveLength(1);
  return names[0] as string;
}
const copiesIn = async (home: string) =>
  (await readdir(join(target, home))).filter((name) => /^base-[^.]*$/.test(name));

/** Makes PostgreSQL complete the current WAL segment, and waits until the backup contains this segment. */
async function archiveNow(): Promise<void> {
  const pool = createPool(getSuperuserUrl(join(installation.folder, 'data'), 'postgres'), { max: 1 });
  const { rows } = await pool.query('SELECT pg_walfile_name(pg_switch_wal()) AS segment');
  await pool.end();
  const file = `${rows[0].segment}.tar.zst.sealed`;
  await expect
    .poll(async () => readdir(join(target, await findInstallationFolder(), 'wal')).catch(() => []))
    .toContain(file);
}

test('after the loss of a disk, the state of any time is restored from the base copy and the archived WAL, with every acknowledged reading', async () => {
  const players = await installation.players(3);
  const first = stream(players, 4_000);
  await expect.poll(() => findInstallationFolder().then(copiesIn)).toHaveLength(1);
  const acknowledged = (await first) + (await stream(await installation.players(2), 1_500));
  const { rows: before } = await installation.pool.query(CONTENT);
  expect(before[0].readings).toBe(acknowledged);
  expect(before[0].milliwattHours).toBeGreaterThan(0);
  const at = new Date().toISOString();
  await new Promise((done) => setTimeout(done, 1_100));
  await stream(await installation.players(1), 1_500);
  await archiveNow();
  const home = await findInstallationFolder();
  const secret = await readFile(join(installation.folder, 'data/secret.key'), 'utf8');

  // Simulates the loss of the disk: the processes are killed, and the data directory is deleted.
  installation.kill('energy supervisor');
  installation.kill('postgres');
  await expect.poll(() => installation.pidsOf('energy')).toEqual([]);
  await rm(join(installation.folder, 'data'), { recursive: true });

  const from = ['--from', target, '--passphrase-file', passphrase];
  const verified = await energy('backup', 'verify', ...from, '--at', at, '--json');
  expect([verified.status, verified.stderr]).toEqual([0, '']);
  const report = JSON.parse(verified.stdout);
  expect(report).toMatchObject({ ok: true, rollups_differing: 0, has_secret_key: true, checksums: { damaged: [] } });
  expect(report.counts.readings).toBe(before[0].readings);
  expect(report.wal_segments).toBeGreaterThan(0);

  const dataDir = join(installation.folder, 'data');
  const into = ['--data-dir', dataDir];
  const restored = await energy('restore', ...from, ...into, '--at', at, '--json');
  expect([restored.status, restored.stderr]).toEqual([0, '']);
  expect(JSON.parse(restored.stdout)).toMatchObject({ until: at, has_secret_key: true });
  expect(await readFile(join(dataDir, 'secret.key'), 'utf8')).toBe(secret);
  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  const pool = createPool(server.url, { max: 1 });
  const { rows: after } = await pool.query(CONTENT);
  expect(after).toEqual(before);
  await pool.end();
  await server.stop();

  // The restored installation serves requests, and archives its WAL into a new folder.
  await installation.start();
  await expect.poll(() => findInstallationFolder(home).then(copiesIn)).toHaveLength(1);
  await installation.stop();
  for (const name of await readdir(target, { recursive: true })) {
    const { mode } = await stat(join(target, name));
    expect([name, (mode & 0o777).toString(8)]).toEqual([name, mode & 0o040_000 ? '700' : '600']);
  }

  await expectErrors(join(target, home), at);
});

/** Expects that each fault of a backup leads to its own error message, and that a failed restore leaves no files. */
async function expectErrors(home: string, at: string): Promise<void> {
  const dataDir = join(folder.path, 'refused');
  const refusal = async (from: string, more: string[], file = passphrase) => {
    const { status, stderr } = await energy(
      'restore',
      '--from',
      from,
      '--data-dir',
      dataDir,
      '--passphrase-file',
      file,
      ...more,
    );
    expect([status, await readdir(dataDir).catch(() => 'none')]).toEqual([1, 'none']);
    return stderr;
  };
  expect(await refusal(home, [], `${passphrase}.wrong`)).toContain('The passphrase is not the one');
  expect(await refusal(home, ['--at', '2020-01-01T00:00:00Z'])).toContain(`The earliest state in ${home} is of`);
  expect(await refusal(home, ['--at', '2999-01-01T00:00:00Z'])).toMatch(
    /The archive ends at 20\d\d-\d\d-.*Z: no copy contains later states/,
  );
  expect(await refusal(home, ['--at', 'yesterday'])).toContain('must be a time with its zone');
  expect(await refusal(join(home, 'wal'), [])).toContain('There is no copy in');

  // The test makes three faults in turn: a truncated WAL segment before the target time, a truncated base backup, and a changed manifest.
  const torn = join(folder.path, 'torn');
  await cp(home, torn, { recursive: true });
  const [copy = ''] = (await readdir(torn)).filter((name) => name.startsWith('base-'));
  const manifest = join(torn, copy, 'backup.json');
  const text = await readFile(manifest, 'utf8');
  // Truncate a WAL segment later than those that the base backup needs, because the base backup itself contains the segments that it needs.
  const { last_segment } = JSON.parse(text);
  const [segment = ''] = (await readdir(join(torn, 'wal'))).sort().filter((name) => name.slice(0, 24) > last_segment);
  const bytes = await readFile(join(torn, 'wal', segment));
  await writeFile(join(torn, 'wal', segment), bytes.subarray(0, bytes.length - 100));
  expect(await refusal(torn, ['--at', at])).toContain(`${segment.replace('.sealed', '')} is torn or was changed`);
  await copyFile(join(home, 'wal', segment), join(torn, 'wal', segment));
  await writeFile(manifest, text.replace('"has_secret_key": true', '"has_secret_key": false'));
  expect(await refusal(torn, [])).toContain('backup.json is torn or was changed');
  await writeFile(manifest, text.replace(/"schema": ".*"/, '"schema": "schema/9999_later.sql"'));
  expect(await refusal(torn, [])).toContain('which is newer than this one');
}
