import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createPool } from '#src/database/connect.ts';
import {
  getSuperuserUrl,
  isEmbeddedPostgresRunning,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { findPostgresBinaries } from '#src/database/postgres-binaries.ts';
import { lockDataDir } from '#src/start/data-dir-lock.ts';
import { waitUntilDatabaseClusterUnused } from '#test/support/postgres-processes.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const HARNESS = resolve(import.meta.dirname, '../../support/embedded-harness.ts');

/** Creates a database as earlier versions of the service did: the superuser owns everything. */
async function makeAsBefore(dataDir: string): Promise<void> {
  const pool = createPool(getSuperuserUrl(dataDir, 'energy'), { max: 3 });
  await pool.query('ALTER DATABASE energy OWNER TO postgres');
  await pool.query('CREATE SEQUENCE alone');
  await migrate(pool);
  const { rows } = await pool.query(
    "SELECT count(*)::int AS n FROM pg_class WHERE relnamespace = 'public'::regnamespace AND pg_get_userbyid(relowner) = 'postgres'",
  );
  expect(rows[0].n).toBeGreaterThan(50);
  await pool.end();
}

test('takes over the server that a killed parent left behind, with its data, and ends it', async () => {
  const folder = await createTemporaryFolder();
  // Only the owner can enter the parent folder of the data directory, as with root's home folder. The path is too long for a Unix socket.
  const dataDir = join(folder.path, 'private', 'ü'.repeat(30), 'data, "mine"');
  await mkdir(dataDir, { recursive: true });
  await chmod(join(folder.path, 'private'), 0o700);
  // The server is started with another folder for temporary files (TMPDIR) than this process has.
  const env = { ...process.env, TMPDIR: folder.path };
  const parent = fork(HARNESS, [dataDir], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(parent, 'message');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  const pidOf = async () => (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0];
  const orphan = await pidOf();

  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  expect(server.adopted).toBe(true);
  expect(await pidOf()).toBe(orphan);
  const pool = createPool(server.url);
  expect((await pool.query('SELECT n FROM kept')).rows).toEqual([{ n: 42 }]);
  const socketFolder = new URL(server.url).searchParams.get('host') ?? '';
  expect(dirname(socketFolder)).toBe(folder.path);
  expect(lstatSync(socketFolder).mode & 0o777).toBe(0o700);
  const { rows } = await pool.query(
    `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, rolsuper AS super, rolcreaterole AS roles
     FROM pg_roles WHERE rolname = current_user`,
  );
  expect(rows[0]).toEqual({ fsync: 'on', commit: 'on', super: false, roles: false });
  await pool.end();
  await makeAsBefore(dataDir);
  await server.stop();
  // The ended process may stay a zombie until its parent has waited for it. A zombie has no command line.
  expect(await readFile(`/proc/${orphan}/cmdline`, 'utf8').catch(() => '')).toBe('');

  // Simulate that another process has created the folder for the socket. The server must use another folder.
  expect(existsSync(socketFolder)).toBe(false);
  await mkdir(socketFolder, { mode: 0o755 });
  const again = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  expect(new URL(again.url).searchParams.get('host')).not.toBe(socketFolder);
  const taken = createPool(again.url);
  const { rows: others } = await taken.query(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND pg_get_userbyid(relowner) <> current_user
     UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND pg_get_userbyid(proowner) <> current_user
     UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND pg_get_userbyid(typowner) <> current_user
     UNION ALL SELECT datname FROM pg_database WHERE datname = 'energy' AND pg_get_userbyid(datdba) <> current_user`,
  );
  expect(others).toEqual([]);
  // Makes the migration create all rollups again, which it can do only with a role that has the permission.
  await taken.query(`UPDATE schema_migrations SET sha256 = 'before' WHERE name NOT LIKE 'schema/%'`);
  expect((await migrate(taken)).applied.length).toBeGreaterThan(5);
  await taken.end();
  // Next case: the server is killed, so its pid file is stale.
  process.kill(Number(await pidOf()), 'SIGKILL');
  await waitUntilDatabaseClusterUnused(join(dataDir, 'postgres'));
  // After the restart of a container, another process can have the process id in the pid file.
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(process.pid)));
  const recovered = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  expect(recovered.adopted).toBe(false);
  await recovered.stop();
  expect(again.url).toBe(recovered.url);
  await folder.remove();
});

test('stops a server that it started if the role of the service cannot be set up', async () => {
  const folder = await createTemporaryFolder();
  const dataDir = folder.path;
  const server = await startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 });
  const pool = createPool(getSuperuserUrl(dataDir, 'postgres'), { max: 1 });
  await pool.query('ALTER DATABASE energy ALLOW_CONNECTIONS false');
  await pool.end();
  await server.stop();
  await expect(startEmbeddedPostgres({ dataDir, sharedBuffersMb: 128 })).rejects.toThrow('not currently accepting');
  const isAlive = await isEmbeddedPostgresRunning(dataDir);
  await stopEmbeddedPostgres(dataDir, findPostgresBinaries());
  expect(isAlive).toBe(false);
  await folder.remove();
});

test('a data directory has one service at a time; the directory of a killed one is taken over', async () => {
  const folder = await createTemporaryFolder();
  const release = await lockDataDir(folder.path);
  await expect(lockDataDir(folder.path)).rejects.toThrow(/already uses .*Stop it first, or set DATA_DIR/);
  release();
  const again = await lockDataDir(folder.path);
  again();
  await writeFile(join(folder.path, 'service.lock'), `${process.pid} 1\n`);
  (await lockDataDir(folder.path))();
  await folder.remove();
});
