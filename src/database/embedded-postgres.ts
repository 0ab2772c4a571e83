import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { getUsableMemoryBytes, hasLittleMemory } from '#src/core/memory.ts';
import {
  ensureServiceRole,
  getSocketFolder,
  makeSocketFolder,
  removeSocketFolder,
  SERVER_SUPERUSER,
  SERVICE_DATABASE,
  SERVICE_ROLE,
  SOCKET_NAME,
} from './embedded-role.ts';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';

const run = promisify(execFile);

export interface EmbeddedPostgres {
  url: string;
  /** Whether the server was already running, because an earlier process was killed without stopping it. */
  adopted: boolean;
  stop(): Promise<void>;
}

export const getClusterFolder = (dataDir: string): string => join(resolve(dataDir), 'postgres');

const urlOf = (role: string, dataDir: string, database: string): string =>
  `postgresql://${role}@localhost/${database}?host=${encodeURIComponent(getSocketFolder(getClusterFolder(dataDir)))}`;

/** Returns the URL of the embedded database for the service's own role. The server need not be running. */
export const getEmbeddedDatabaseUrl = (dataDir: string): string => urlOf(SERVICE_ROLE, dataDir, SERVICE_DATABASE);

/**
 * Whether DATABASE_URL names the embedded database of this data directory, or is not set. The supervisor sets it for its child processes.
 */
export const isEmbeddedDatabaseUrl = (url: string | undefined, dataDir: string): boolean =>
  url === undefined || url === getEmbeddedDatabaseUrl(dataDir);

/** Returns the URL of a database of the embedded server for the superuser, which can create roles and databases. */
export const getSuperuserUrl = (dataDir: string, database: string): string =>
  urlOf(SERVER_SUPERUSER, dataDir, database);

/** Returns the server's configuration. Commits are durable, and the size of the buffers depends on the machine. */
function settings(socketFolder: string, sharedBuffersMb: number): string {
  return `# Written at each start by the service; changes here are lost.
listen_addresses = ''
unix_socket_directories = '"${socketFolder.replaceAll('"', '""').replaceAll("'", "''")}"'
unix_socket_permissions = 0700
fsync = on
synchronous_commit = on
shared_buffers = ${sharedBuffersMb}MB
max_connections = 100
max_wal_size = 4GB
min_wal_size = 256MB
wal_compression = on
checkpoint_timeout = 15min
jit = off
timezone = UTC
log_timezone = UTC
log_min_messages = warning
${hasLittleMemory() ? LITTLE_MEMORY : ''}`;
}

/** Settings that reduce the number of server processes, each of which takes about 2 MB. */
const LITTLE_MEMORY = `io_method = sync
autovacuum_max_workers = 1
max_parallel_workers_per_gather = 0
max_logical_replication_workers = 0
maintenance_work_mem = 16MB
`;

/** Returns the size of the shared buffers in MB: an eighth of the memory, between 128 MB and 2 GB, or less on a small machine. */
const defaultSharedBuffersMb = () =>
  hasLittleMemory() ? 16 : Math.min(2048, Math.max(128, Math.floor(getUsableMemoryBytes() / 8 / 2 ** 20)));

/**
 * Starts the PostgreSQL server of `dataDir`, and creates its cluster if there is none. A server that is still running from an earlier
 * process is used. `binaries`: programs of another version. `extraSettings`: further lines of the configuration. If the start fails, the
 * error contains the end of the server's log.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  sharedBuffersMb?: number;
  binaries?: PostgresBinaries;
  extraSettings?: string;
}): Promise<EmbeddedPostgres> {
  const { dataDir, sharedBuffersMb = defaultSharedBuffersMb(), binaries = findPostgresBinaries() } = options;
  const { extraSettings = '' } = options;
  const cluster = getClusterFolder(dataDir);
  await mkdir(resolve(dataDir), { recursive: true });
  await refuseOtherMajor(dataDir, binaries);
  await initialise(binaries, cluster);
  await forgetStale(cluster);
  // A server from an earlier process may have other settings, so it may have to be restarted.
  if ((await isEmbeddedPostgresRunning(dataDir)) && (await lacksSettings(cluster, extraSettings)))
    await stopEmbeddedPostgres(dataDir, binaries);
  const adopted = await isEmbeddedPostgresRunning(dataDir);
  if (!adopted) {
    const conf = settings(makeSocketFolder(cluster), sharedBuffersMb);
    await launch(binaries, dataDir, `${conf}${EXTRA}${extraSettings}`, 60);
  }
  try {
    await ensureServiceRole((database) => getSuperuserUrl(dataDir, database));
  } catch (error) {
    // The caller cannot stop the server after an error, so it is stopped here.
    if (!adopted) await stopEmbeddedPostgres(dataDir, binaries).catch(() => {});
    throw error;
  }
  return { url: getEmbeddedDatabaseUrl(dataDir), adopted, stop: () => stopEmbeddedPostgres(dataDir, binaries) };
}

const EXTRA = '# Further settings.\n';

async function lacksSettings(cluster: string, extraSettings: string): Promise<boolean> {
  const conf = await readFile(join(cluster, 'energy.conf'), 'utf8').catch(() => '');
  return (conf.split(EXTRA)[1] ?? '') !== extraSettings;
}

/** On failure, throws an error with the end of the server's log. */
async function launch(binaries: PostgresBinaries, dataDir: string, conf: string, seconds: number): Promise<void> {
  const cluster = getClusterFolder(dataDir);
  await writeFile(join(cluster, 'energy.conf'), conf);
  const args = ['-w', '-t', String(seconds), '-l', basename(logOf(dataDir)), 'start'];
  await pgCtl(binaries, cluster, args).catch((error) => throwWithLog(dataDir, 'did not start', error));
}

const logOf = (dataDir: string): string => join(resolve(dataDir), 'postgres.log');

async function throwWithLog(dataDir: string, what: string, cause?: unknown): Promise<never> {
  const log = await readFile(logOf(dataDir), 'utf8').catch(() => '');
  throw new Error(`The embedded PostgreSQL ${what}. End of ${logOf(dataDir)}:\n${log.slice(-2000)}`, { cause });
}

/** Maximum time in seconds until a server begins to apply archived WAL: it first flushes every file. */
const FLUSH_SECONDS = 3_600;

/**
 * Starts the server of a restored cluster, waits until it has applied archived WAL up to the target in `recoverySettings`, and stops it.
 * Throws if the target is not reached.
 */
export async function recoverEmbeddedPostgres(dataDir: string, recoverySettings: string): Promise<void> {
  const binaries = findPostgresBinaries();
  const cluster = getClusterFolder(dataDir);
  const conf = `${settings(makeSocketFolder(cluster), defaultSharedBuffersMb())}${recoverySettings}`;
  await launch(binaries, dataDir, conf, FLUSH_SECONDS);
  // The server writes its state to line 8 of the pid file.
  for (;;) {
    const [, , , , , , , status = ''] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split(
      '\n',
    );
    if (status.trim() === 'ready') return stopEmbeddedPostgres(dataDir, binaries);
    if (!(await isEmbeddedPostgresRunning(dataDir))) await throwWithLog(dataDir, 'stopped during recovery');
    await pause(50);
  }
}

export async function stopEmbeddedPostgres(dataDir: string, binaries: PostgresBinaries): Promise<void> {
  if (!(await isEmbeddedPostgresRunning(dataDir))) return;
  await pgCtl(binaries, getClusterFolder(dataDir), ['-w', '-t', '60', '-m', 'fast', 'stop']);
  removeSocketFolder(getClusterFolder(dataDir));
}

export async function readMajorVersion(dataDir: string): Promise<number | null> {
  const version = await readFile(join(getClusterFolder(dataDir), 'PG_VERSION'), 'utf8').catch(() => null);
  return version === null ? null : Number.parseInt(version, 10);
}

/** Returns the folder in which an upgrade to another major version creates the new cluster. */
export const getUpgradeFolder = (dataDir: string): string => join(resolve(dataDir), 'upgrade');
export const getUpgradedDataFolder = (dataDir: string): string => join(getUpgradeFolder(dataDir), 'new');

async function refuseOtherMajor(dataDir: string, { major }: PostgresBinaries): Promise<void> {
  const made = await readMajorVersion(dataDir);
  if (made === null && hasEmbeddedDatabase(getUpgradedDataFolder(dataDir)))
    throw new Error(
      'An upgrade of the database was interrupted at its end. Run "npx energy upgrade-database" again to finish it.',
    );
  if (made === null || made === major) return;
  const what = `The database in ${getClusterFolder(dataDir)} was made by PostgreSQL ${made}, and this version of the service contains ${major}.`;
  throw new Error(
    made < major
      ? `${what} Run "npx energy upgrade-database": it copies the database into a new one, and preserves the old one.`
      : `${what} Start the version of the service that made it, or a later one.`,
  );
}

async function pidIn(cluster: string): Promise<number | null> {
  const [pid = ''] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return /^[1-9]\d*$/.test(pid) ? Number(pid) : null;
}

/** Deletes an outdated pid file, because another process may now have its process id. */
async function forgetStale(cluster: string): Promise<void> {
  const pid = await pidIn(cluster);
  if (pid === null || (await isServerOf(cluster, pid))) return;
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  await rm(join(getSocketFolder(cluster), `${SOCKET_NAME}.lock`), { force: true });
}

export const hasEmbeddedDatabase = (dataDir: string): boolean =>
  existsSync(join(getClusterFolder(dataDir), 'PG_VERSION'));

export async function isEmbeddedPostgresRunning(dataDir: string): Promise<boolean> {
  const cluster = getClusterFolder(dataDir);
  const pid = await pidIn(cluster);
  return pid !== null && (await isServerOf(cluster, pid));
}

/** Whether a process is the cluster's server. Recognises it by its working directory. */
async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, name, state] = /\((.*)\) (.)/s.exec(stat) ?? [];
  if (state === 'Z' || state === 'X' || (name !== undefined && name !== 'postgres')) return false;
  // Without /proc, any living process with this id counts as the server.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return folder === null || folder === (await realpath(cluster));
}

/** Runs pg_ctl with relative paths, because pg_ctl passes them to a shell. */
async function pgCtl(binaries: PostgresBinaries, cluster: string, args: string[]): Promise<void> {
  const [command, ...rest] = [...binaries.prefix, binaries.pgCtl, '-D', basename(cluster), ...args];
  await spawned(command as string, rest, dirname(cluster));
}

/** Runs a command and waits until it exits. The output is discarded: a pipe would stay open as long as the started server runs. */
async function spawned(command: string, args: string[], cwd: string): Promise<void> {
  await new Promise<void>((done, fail) => {
    const child = spawn(command, args, { cwd, stdio: 'ignore' });
    child.on('error', fail);
    child.on('exit', (code) => (code === 0 ? done() : fail(new Error(`${command} ended with ${code}`))));
  });
}

/** Creates the cluster in a temporary folder first, so that an interruption leaves no partial cluster. */
async function initialise(binaries: PostgresBinaries, cluster: string): Promise<void> {
  if (existsSync(join(cluster, 'PG_VERSION'))) return;
  const fresh = `${cluster}.new`;
  await rm(fresh, { recursive: true, force: true });
  const args = ['-D', fresh, '-U', SERVER_SUPERUSER, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
  const [command, ...rest] = [...binaries.prefix, binaries.initdb, ...args];
  await run(command as string, rest);
  await appendFile(join(fresh, 'postgresql.conf'), "\ninclude 'energy.conf'\n");
  await rename(fresh, cluster);
}
