import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Archiver } from '#src/backup/archive.ts';
import { getInstallationFolderName, takeBaseBackup } from '#src/backup/base.ts';
import {
  createDeletionRecordWriter,
  readDeletionRecords,
  readDeletionsToReapply,
} from '#src/backup/deletion-records.ts';
import { makeNightlyCopy } from '#src/backup/nightly.ts';
import { type BackupPlan, readCopyState, stopWalArchiving } from '#src/backup/plan.ts';
import { restoreBackup } from '#src/backup/restore.ts';
import { loadConfig } from '#src/config/load.ts';
import { Metrics } from '#src/core/metrics.ts';
import { createDatabase, createPool, type Pool } from '#src/database/connect.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { startBackupReports } from '#src/start/backup.ts';
import { createUser } from '#src/users/store.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const isRoot = process.getuid?.() === 0;
const log = pino({ level: 'silent' });

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let pool: Pool;
let dataDir: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  dataDir = join(folder.path, 'data');
  server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  pool = createPool(server.url, { max: 3 });
  await migrate(pool);
});
afterAll(async () => {
  await pool.end();
  await server.stop();
  await folder.remove();
});

const planFor = (target: string, isArchiving = true): BackupPlan => ({ dataDir, target, isArchiving, key: null });

/** Runs a function with a folder on a file system of this size in MB. */
async function onDisk(megabytes: number, run: (disk: string) => Promise<void>): Promise<void> {
  const disk = join(folder.path, `disk-${megabytes}`);
  await mkdir(disk);
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk]).status).toBe(0);
  await run(disk).finally(() => spawnSync('umount', ['-l', disk]));
}

describe.skipIf(!isRoot)('with a small disk', () => {
  test('the nightly copy is skipped, with the reason, unless twice the size of the database is free', () =>
    onDisk(8, async (target) => {
      await makeNightlyCopy(planFor(target, false), log, new Date());
      expect((await readCopyState(dataDir)).error).toMatch(
        /^No nightly copy: 8 MiB are free in .*, less than twice the database \(\d+ MiB\)\. Set BACKUP_TO/,
      );
      expect(await readdir(target)).toEqual([]);
    }));

  test('a copy that fills the disk fails with an explanation of what to do, and leaves no files', () =>
    onDisk(1, async (target) => {
      const full = `The disk of ${join(target, await getInstallationFolderName(dataDir))}`;
      await expect(makeNightlyCopy(planFor(target), log, new Date())).rejects.toThrow(full);
      const { error } = await readCopyState(dataDir);
      expect(error).toMatch(/ is full, and this copy was deleted\. Free some space, or name another folder\.$/);
      expect(await readdir(join(target, await getInstallationFolderName(dataDir)))).toEqual([]);
    }));
});

describe('a copy of the database', () => {
  let target: string;
  let copy: Awaited<ReturnType<typeof takeBaseBackup>>;
  beforeAll(async () => {
    target = join(folder.path, 'target');
    const installation = await getInstallationFolderName(dataDir);
    copy = await takeBaseBackup({ dataDir, target, installation, key: null, now: new Date() });
  });
  const restoreInto = (into: string) =>
    restoreBackup({ from: target, at: null, dataDir: into, passphrase: null, targets: [] });

  test.skipIf(!isRoot)('is not restored onto a disk that is too small, and leaves no files there', () =>
    onDisk(16, async (disk) => {
      const into = join(disk, 'data');
      await expect(restoreInto(into)).rejects.toThrow(/The copy needs \d+ MiB, and the disk of .* lacks \d+ MiB of it/);
      expect(await readdir(disk)).toEqual([]);
    }),
  );

  test.each([
    [
      'postgres_major',
      12,
      /The copy was made by PostgreSQL 12, and this version contains \d+\. .*energy upgrade-database/,
    ],
    ['postgres_major', 99, /The copy was made by PostgreSQL 99, and this version contains \d+\. .* or a later one\./],
    ['processor', 'pdp11', /another processor \(pdp11; this one is/],
    ['schema', 'schema/9999_later.sql', /which is newer than this one/],
    ['format', 9, /made by a newer version/],
    ['bytes', 1, /backup\.json is torn or was changed/],
  ])('with another %s (%s) is refused with one clear error', async (member, value, message) => {
    const file = join(copy.folder, 'backup.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, JSON.stringify({ ...JSON.parse(text), [member]: value }));
    const into = join(folder.path, 'refused');
    await expect(restoreInto(into)).rejects.toThrow(message);
    expect(await readdir(into).catch(() => 'none')).toBe('none');
    await writeFile(file, text);
  });

  test('of another installation that went on with the same data directory stops the archive', async () => {
    const wal = join(target, await getInstallationFolderName(dataDir), 'wal');
    await mkdir(wal);
    await writeFile(join(wal, '0000000100000099000000FF.tar.zst'), '');
    const archiver = new Archiver(planFor(target), log, { last: null, error: null });
    await expect(archiver.turn()).rejects.toThrow(
      /has WAL that is newer than this database: .* Remove .*backup-name, and this one gets a folder of its own\./,
    );
    await rm(wal, { recursive: true });
  });
});

test('a restore without the recorded deletions and revocations undoes a deletion made by mistake', async () => {
  const target = join(folder.path, 'mistake');
  await takeBaseBackup({
    dataDir,
    target,
    installation: await getInstallationFolderName(dataDir),
    key: null,
    now: new Date(),
  });
  const ended = { at: '2999-01-01T00:00:00.000Z', kind: 'account', id: 'usr_1' };
  await writeFile(join(target, 'ended.jsonl'), `${JSON.stringify(ended)}\n`);
  const into = join(folder.path, 'undone');
  const restored = await restoreBackup({ from: target, at: null, dataDir: into, passphrase: null, targets: null });
  expect(restored).toMatchObject({ endings: 0, hasEnded: false });
  expect(await readDeletionsToReapply(into)).toMatchObject({ endings: [] });
});

test('administrators get one mail if the archive of WAL was given up', async () => {
  const db = createDatabase(pool);
  await createUser(db, { email: 'admin@example.com', role: 'admin' });
  await createUser(db, { email: 'home@example.com', role: 'homeowner' });
  const config = loadConfig({ DATA_DIR: dataDir });
  const reports = () =>
    startBackupReports(config, planFor('/mnt/archive'), { db, metrics: new Metrics('worker'), log });
  const mails = async () => {
    const names = (await readdir(join(dataDir, 'mail')).catch(() => [])).filter((name) => name.endsWith('.eml'));
    return Promise.all(names.map((name) => readFile(join(dataDir, 'mail', name), 'utf8')));
  };
  await stopWalArchiving(dataDir, new Date());
  const stop = reports();
  await expect.poll(mails).toHaveLength(1);
  await expect.poll(async () => (await readCopyState(dataDir)).mailed_given_up_at).not.toBeNull();
  await stop();
  const [mail = ''] = await mails();
  expect(mail).toContain('admin@example.com');
  expect(mail).toContain('Subject: Back-ups are interrupted');
  expect(mail).toContain('/mnt/archive');
  await reports()();
  expect(await mails()).toHaveLength(1);
});

test('deletions and revocations wait in the database while ended.jsonl cannot be written, and truncated lines are reported', async () => {
  const target = join(folder.path, 'later');
  await writeFile(target, 'a file where the folder should be');
  const write = createDeletionRecordWriter(pool, planFor(target), log);
  const end = (id: string) => pool.query(`INSERT INTO endings (kind, id) VALUES ('key', $1)`, [id]);
  const waiting = async () => (await pool.query('SELECT id FROM endings ORDER BY ending_id')).rows.map(({ id }) => id);
  await pool.query('DELETE FROM endings');
  await end('key_1');
  await write();
  expect(await waiting()).toEqual(['key_1']);
  await rm(target);
  await mkdir(target);
  // A crash has left an incomplete last line in the file.
  const file = join(target, 'ended.jsonl');
  await writeFile(file, '{"at":"2026-01-01T00:00:00.000Z","kind":"key","id":"key_0"}\n{"at":"2026-01-');
  await Promise.all([write(), end('key_2').then(write), write()]);
  expect(await waiting()).toEqual([]);
  const { endings, tornLines } = await readDeletionRecords([file, join(target, 'absent')], new Date('2026-06-01'));
  expect(endings.map(({ id }) => id).sort()).toEqual(['key_1', 'key_2']);
  expect(tornLines).toBe(1);
});
