import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '#src/database/connect.ts';
import { computeFingerprint } from '#src/database/copy/copy-rows.ts';
import { hashClusterState } from '#src/database/copy/filling.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { findPostgresBinaries, loadEarlierBinaries, type PostgresBinaries } from '#src/database/postgres-binaries.ts';
import { getClosedHoursRelation, STORED_ROLLUP_LEVELS } from '#src/rollups/levels.ts';
import { MOVED_RELATIONS } from '#src/start/move.ts';
import { EARLIER_POSTGRES_FOLDER, EARLIER_POSTGRES_MAJOR } from '#test/support/earlier-postgres.ts';
import { fillInstallation } from '#test/support/full-installation.ts';
import { createTestMeter } from '#test/support/meters.ts';
import { ONLY_PROGRESS_PATTERN, TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const KILLED = resolve(import.meta.dirname, '../../support/upgrade-process.ts');
const RELATIONS = [
  ...MOVED_RELATIONS.map(({ relation }) => relation),
  ...STORED_ROLLUP_LEVELS.map(getClosedHoursRelation),
];

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let earlier: PostgresBinaries;
let dataDir: string;
let ours: number;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  dataDir = join(folder.path, 'data');
  earlier = await loadEarlierBinaries(EARLIER_POSTGRES_MAJOR, EARLIER_POSTGRES_FOLDER);
  ours = findPostgresBinaries().major;
});
afterAll(() => folder.remove());

const below = (...names: string[]) => join(dataDir, ...names);
const majorIn = (cluster: string) => Number(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'));

function energy(...args: string[]) {
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    API_PORT: '0',
    HTTP_PORT: '0',
    MQTT_PORT: '0',
    MQTTS_PORT: '0',
  };
  return spawnSync(process.execPath, [TESTED_PROGRAM, ...args], { env, encoding: 'utf8' });
}

/** Runs an upgrade, and kills it when it has printed this text. */
async function killedAt(at: string): Promise<void> {
  const child = fork(KILLED, [dataDir, at], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  // After each interruption, the data directory still contains the old database.
  expect(majorIn(below('postgres'))).toBe(EARLIER_POSTGRES_MAJOR);
}

/** Starts a database server of the earlier PostgreSQL version, as the previous version of the service would, and runs `work` with it. */
async function before<T>(work: (pool: Pool, url: string) => Promise<T>): Promise<T> {
  const server = await startEmbeddedPostgres({ dataDir, binaries: earlier, sharedBuffersMb: 128 });
  const pool = createPool(server.url);
  const result = await work(pool, server.url);
  await pool.end();
  await server.stop();
  return result;
}

async function fingerprints(pool: Pool): Promise<Record<string, string>> {
  const client = await pool.connect();
  const prints: Record<string, string> = {};
  for (const relation of RELATIONS) prints[relation] = await computeFingerprint(client, relation);
  client.release();
  return prints;
}

test('an installation continues on the next PostgreSQL with all data, however often the upgrade is killed, and the old database is kept', async () => {
  await before(async (pool, url) => {
    const { tier, capabilities } = (await migrate(pool)).database;
    await fillInstallation({ tier, capabilities, pool, url, settle: async () => {}, drop: async () => {} });
  });
  const refused = energy('start');
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(
        `was made by PostgreSQL ${EARLIER_POSTGRES_MAJOR}, .* contains ${ours}\\. Run "npx energy upgrade-database"`,
      ),
    ),
  ]);

  // The upgrade would install the earlier PostgreSQL's programs into `upgrade/programs` with npm. The test creates a symbolic link there
  // instead.
  mkdirSync(below('upgrade'));
  symlinkSync(EARLIER_POSTGRES_FOLDER, below('upgrade/programs'));
  await killedAt('readings');
  // The previous version runs again and stores readings. The copy that the killed upgrade made lacks these readings.
  const expected = await before(async (pool, url) => {
    const { tier, capabilities } = (await migrate(pool)).database;
    const database = { tier, capabilities, pool, url, settle: async () => {}, drop: async () => {} };
    const home = await createTestMeter(database);
    await home.read([
      [new Date(Date.now() - 7_200_000), 100],
      [new Date(Date.now() - 3_600_000), 101.5],
    ]);
    return fingerprints(pool);
  });
  const state = await hashClusterState(below('postgres'));
  // The upgrade is killed after it has copied everything, before it writes its report.
  await killedAt('Comparing');

  const { status, stdout, stderr } = energy('upgrade-database', '--json', '--postgres', join(earlier.pgCtl, '..'));
  expect([status, stderr]).toEqual([0, expect.stringMatching(ONLY_PROGRESS_PATTERN)]);
  const oldCluster = below(`postgres-${EARLIER_POSTGRES_MAJOR}`);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ from: EARLIER_POSTGRES_MAJOR, to: ours, kept: oldCluster, mended: [] });
  expect(report.relations.map(({ relation }: { relation: string }) => relation)).toEqual(RELATIONS);
  expect([majorIn(below('postgres')), majorIn(oldCluster)]).toEqual([ours, EARLIER_POSTGRES_MAJOR]);
  expect(await hashClusterState(oldCluster)).toBe(state);
  expect(existsSync(below('upgrade'))).toBe(false);

  // State after an interruption between the last two steps: the old database is moved away, and the new one is not in its place yet.
  mkdirSync(below('upgrade/new'), { recursive: true });
  renameSync(below('postgres'), below('upgrade/new/postgres'));
  writeFileSync(below('upgrade/report.json'), JSON.stringify({ state, report }));
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
    /interrupted at its end\. Run "npx energy upgrade-database"/,
  );
  expect(energy('upgrade-database').stdout).toMatch(/^readings +\d+ rows, equal$/m);
  expect(energy('upgrade-database').stdout).toContain('Nothing to do');

  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  const pool = createPool(server.url);
  expect((await migrate(pool)).applied).toEqual([]);
  expect(await fingerprints(pool)).toEqual(expected);
  // Every relation has rows. Otherwise the comparison would prove nothing about it.
  expect(Object.entries(expected).flatMap(([relation, print]) => (print.startsWith('0 ') ? [relation] : []))).toEqual(
    [],
  );
  await pool.end();
  await server.stop();
  // The upgrade retains a copy of the old database. The previous version can still run on it.
  mkdirSync(below('back'));
  renameSync(oldCluster, below('back/postgres'));
  const back = await startEmbeddedPostgres({ dataDir: below('back'), binaries: earlier, sharedBuffersMb: 128 });
  const old = createPool(back.url);
  await old.query('UPDATE users SET phone = phone');
  await old.end();
  await back.stop();
});

test('refuses a database that cannot be upgraded, with a remedy', async () => {
  const other = { PATH: process.env.PATH, DATA_DIR: join(folder.path, 'other') };
  const outputWith = (env: Record<string, string | undefined>) =>
    spawnSync(process.execPath, [TESTED_PROGRAM, 'upgrade-database'], { env, encoding: 'utf8' }).stderr;
  expect(outputWith({ ...other, DATABASE_URL: 'postgres://x@y/z' })).toContain(
    'DATABASE_URL names an external database',
  );
  expect(outputWith(other)).toContain('There is no embedded database');
  mkdirSync(join(other.DATA_DIR, 'postgres'), { recursive: true });
  writeFileSync(join(other.DATA_DIR, 'postgres/PG_VERSION'), '99\n');
  expect(outputWith(other)).toMatch(
    /was made by PostgreSQL 99, and this version .* Run the version of the service that made it/,
  );
  writeFileSync(join(other.DATA_DIR, 'postgres/PG_VERSION'), '9\n');
  expect(outputWith(other)).toMatch(/There is no package of PostgreSQL 9 .*--postgres \/usr\/lib\/postgresql\/9\/bin/);
});
