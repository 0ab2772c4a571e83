import { execFile } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createPool, type Pool } from '#src/database/connect.ts';
import { migrate } from '#src/database/migrate.ts';
import {
  createDebian13Folder,
  type Debian13Folder,
  type NamespacedProgram,
  startProgramInDebian13,
} from '#test/support/cluster/contained-program.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { DEBIAN_13_FOLDER, DEBIAN_13_POSTGRESQL_BIN } from '#test/support/tiers/available-tiers.ts';
import { startFleet } from '../../../bench/chaos/fleet.ts';
import { findFreePorts, startService } from '../../../bench/service.ts';
import { pairDevices } from '../../../bench/support.ts';

/** Tests the configuration and the commands of deploy/backup with pgBackRest and PostgreSQL 17 of Debian 13. Only the paths are changed. */
const BACKUP = resolve(import.meta.dirname, '../../../deploy/backup');
const run = promisify(execFile);
const README = readFileSync(join(BACKUP, 'README.md'), 'utf8');

let inner: Debian13Folder;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let server: NamespacedProgram | undefined;
let env: Record<string, string>;
let url: string;
beforeAll(async () => {
  inner = createDebian13Folder();
  folder = await createTemporaryFolder();
  url = `postgres://postgres@localhost/energy?host=${encodeURIComponent(inner.path)}`;
  env = {
    PGBACKREST_CONFIG: `${inner.inside}/pgbackrest.conf`,
    PGBACKREST_LOG_PATH: inner.inside,
    PGBACKREST_LOCK_PATH: `${inner.inside}/lock`,
    PGBACKREST_PG1_SOCKET_PATH: inner.inside,
  };
  const configuration = readFileSync(join(BACKUP, 'pgbackrest.conf'), 'utf8')
    .replace('CHANGE-ME', 'correct horse battery staple')
    .replace('/var/lib/postgresql/17/main', `${inner.inside}/main`)
    .replace('/var/lib/pgbackrest', `${inner.inside}/repository`)
    .replace('/var/spool/pgbackrest', `${inner.inside}/spool`);
  writeFileSync(join(inner.path, 'pgbackrest.conf'), configuration);
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  await inside(DEBIAN_13_POSTGRESQL_BIN.concat('/initdb'), '-D', `${inner.inside}/main`, ...options);
  const settings = `listen_addresses = ''\nunix_socket_directories = '${inner.inside}'\n`;
  appendFileSync(
    join(inner.path, 'main/postgresql.conf'),
    settings + readFileSync(join(BACKUP, 'postgresql.conf'), 'utf8'),
  );
  await start();
});
afterAll(async () => {
  await server?.kill();
  inner.remove();
  await folder.remove();
});

/** Runs a command in a Debian 13 file system as the user postgres. */
const inside = (...command: string[]) =>
  run('chroot', ['--userspec=postgres:postgres', DEBIAN_13_FOLDER, ...command], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', ...env },
  });

/** Runs the command in the README of deploy/backup that begins with this text. */
async function type(beginning: string, change: (line: string) => string = (line) => line): Promise<void> {
  const at = README.indexOf(beginning);
  const [line = ''] = at < 0 ? [] : README.slice(at).split(/[`\n]/, 1);
  expect(line, beginning).toContain('pgbackrest');
  await inside('sh', '-c', change(line).replaceAll('sudo -u postgres ', ''));
}

/** Starts PostgreSQL, and waits until it accepts writes. */
async function start(): Promise<void> {
  const started = startProgramInDebian13([`${DEBIAN_13_POSTGRESQL_BIN}/postgres`, '-D', `${inner.inside}/main`], {
    env,
    folder: inner,
  });
  server = started;
  await vi.waitFor(
    async () => {
      if (!started.isRunning()) throw new Error(started.output());
      const [row] = await asSuperuser('SELECT pg_is_in_recovery() AS recovers');
      if (row?.recovers !== false) throw new Error('PostgreSQL still recovers');
    },
    { timeout: 300_000, interval: 200 },
  );
}

async function asSuperuser(statement: string): Promise<Record<string, unknown>[]> {
  const pool = createPool(url.replace('/energy?', '/postgres?'), { max: 1 });
  return pool
    .query(statement)
    .then(({ rows }) => rows)
    .finally(() => pool.end());
}

const CONTENT = `SELECT (SELECT count(*) FROM readings)::int AS readings, (SELECT sum(energy_milliwatt_hours) FROM user_hourly)::bigint AS "milliwattHours",
  (SELECT array_agg(device_id ORDER BY 1) FROM devices) AS devices`;
const contentOf = async (pool: Pool) => (await pool.query(CONTENT)).rows[0];

test('the steps of deploy/backup restore a lost disk to a point in time, with every acknowledged reading', async () => {
  await asSuperuser('CREATE DATABASE energy');
  const pool = createPool(url, { max: 2 });
  await migrate(pool);
  const ports = await findFreePorts();
  const variables = { ...ports, DATABASE_URL: url, DATA_DIR: join(folder.path, 'data'), PATH: process.env.PATH ?? '' };
  const service = await startService(variables, { log: join(folder.path, 'log') });
  const stream = async (ms: number): Promise<number> => {
    const fleet = startFleet(`mqtt://127.0.0.1:${ports.MQTT_PORT}`, await pairDevices(pool, 2), 300);
    await sleep(ms);
    await fleet.finish();
    return fleet.acknowledged;
  };
  await type('sudo -u postgres pgbackrest --stanza=energy stanza-create');
  const first = stream(3_000);
  await type('pgbackrest --stanza=energy --type=full backup');
  const acknowledged = (await first) + (await stream(1_000));
  const before = await contentOf(pool);
  expect(before.readings).toBe(acknowledged);
  expect(Number(before.milliwattHours)).toBeGreaterThan(0);
  const at = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
  await sleep(1_100);
  await stream(1_000);
  expect((await contentOf(pool)).readings).toBeGreaterThan(acknowledged);
  await service.stop();
  await pool.end();
  // Switch to a new WAL segment, as PostgreSQL does after `archive_timeout`.
  const [segment] = await asSuperuser('SELECT pg_walfile_name(pg_switch_wal()) AS name');
  const archived = async () => (await asSuperuser('SELECT last_archived_wal AS name FROM pg_stat_archiver'))[0]?.name;
  await expect.poll(archived).toBe(segment?.name);

  await server?.kill();
  rmSync(join(inner.path, 'main'), { recursive: true });
  await inside('mkdir', '-m', '700', `${inner.inside}/main`);
  await type('sudo -u postgres pgbackrest --stanza=energy --delta', (line) =>
    line.replace(/--target='[^']+'/, `--target='${at}'`),
  );
  await start();
  const restored = createPool(url, { max: 1 });
  expect(await contentOf(restored)).toEqual(before);
  await restored.end();
  await run(process.execPath, [TESTED_PROGRAM, 'rollups', 'check'], { env: variables });
});
