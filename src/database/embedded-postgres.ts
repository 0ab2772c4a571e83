import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createPool } from './connect.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';

const run = promisify(execFile);
const DATABASE = 'energy';
/** A Unix socket's path ends here (sun_path), with its terminating zero. */
const MAX_SOCKET_PATH = 107;
const SOCKET_NAME = '.s.PGSQL.5432';

/** A running server below a data directory. */
export interface EmbeddedPostgres {
  url: string;
  /** Whether it was already running, left behind by a service that was killed. */
  adopted: boolean;
  /** Ends it, with everything flushed. */
  stop(): Promise<void>;
}

const clusterOf = (dataDir: string) => join(resolve(dataDir), 'postgres');

function socketDirOf(dataDir: string): string {
  const cluster = clusterOf(dataDir);
  if (join(cluster, SOCKET_NAME).length <= MAX_SOCKET_PATH) return cluster;
  return join(tmpdir(), `energy-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`);
}

/** URL of the embedded database below `dataDir`, running or not. */
export function embeddedUrl(dataDir: string, database: string = DATABASE): string {
  return `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(socketDirOf(dataDir))}`;
}

/** Settings for ingest: durable (a commit is on disk), generous with WAL, memory by the machine's size. */
function settings(dataDir: string, sharedBuffersMb: number): string {
  return `# Written at each start by the service; changes here are lost.
listen_addresses = ''
unix_socket_directories = '${socketDirOf(dataDir).replaceAll("'", "''")}'
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
`;
}

/** An eighth of the memory, between 128 MB and 1 GB. */
const defaultSharedBuffersMb = () => Math.min(1024, Math.max(128, Math.floor(totalmem() / 8 / 2 ** 20)));

/**
 * Starts the PostgreSQL server of `dataDir`, making the cluster first where there is none. A server that is already
 * running on this directory (its starter was killed) is taken over: there is never a second one. Errors say what the
 * server's log says.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  sharedBuffersMb?: number;
}): Promise<EmbeddedPostgres> {
  const { dataDir, sharedBuffersMb = defaultSharedBuffersMb() } = options;
  const binaries = postgresBinaries();
  const cluster = clusterOf(dataDir);
  const logFile = join(resolve(dataDir), 'postgres.log');
  await mkdir(resolve(dataDir), { recursive: true });
  await initialise(binaries, cluster);
  await forgetZombie(cluster, socketDirOf(dataDir));
  const adopted = await isRunning(binaries, cluster);
  if (!adopted) {
    await mkdir(socketDirOf(dataDir), { recursive: true, mode: 0o700 });
    await writeFile(join(cluster, 'energy.conf'), settings(dataDir, sharedBuffersMb));
    await pgCtl(binaries, cluster, ['-w', '-t', '60', '-l', logFile, 'start']).catch(async (error) => {
      const log = await readFile(logFile, 'utf8').catch(() => '');
      throw new Error(`The embedded PostgreSQL did not start. End of ${logFile}:\n${log.slice(-2000)}`, {
        cause: error,
      });
    });
  }
  await createDatabase(dataDir);
  return {
    url: embeddedUrl(dataDir),
    adopted,
    stop: async () => {
      if (await isRunning(binaries, cluster)) await pgCtl(binaries, cluster, ['-w', '-t', '60', '-m', 'fast', 'stop']);
    },
  };
}

/**
 * A server that was killed stays a zombie where nobody reaps it (containers without an init), and a zombie's pid file
 * looks alive to pg_ctl and to PostgreSQL. Its shared memory is checked by PostgreSQL itself at the start.
 */
async function forgetZombie(cluster: string, socketDir: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const [pid = ''] = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (!stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')) return;
  await rm(pidFile, { force: true });
  await rm(join(socketDir, `${SOCKET_NAME}.lock`), { force: true });
}

/** Whether `dataDir` has an embedded database, running or not. */
export const hasEmbedded = (dataDir: string): boolean => existsSync(join(clusterOf(dataDir), 'PG_VERSION'));

/** Whether a server runs on the directory, by its own pid file. */
async function isRunning(binaries: PostgresBinaries, cluster: string): Promise<boolean> {
  try {
    await pgCtl(binaries, cluster, ['status']);
    return true;
  } catch {
    return false;
  }
}

/** Whether the server's process is there: by its pid file, without a process of its own to ask. */
export async function isEmbeddedAlive(dataDir: string): Promise<boolean> {
  const [pid = ''] = (await readFile(join(clusterOf(dataDir), 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  if (!/^\d+$/.test(pid)) return false;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat !== null) return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  try {
    // Where there is no /proc.
    return process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the embedded database of `dataDir` runs at this moment. */
export async function isEmbeddedRunning(dataDir: string): Promise<boolean> {
  return isRunning(postgresBinaries(), clusterOf(dataDir));
}

async function pgCtl(binaries: PostgresBinaries, cluster: string, args: string[]): Promise<void> {
  const [command, ...rest] = [...binaries.prefix, binaries.pgCtl, '-D', cluster, ...args];
  await spawned(command as string, rest);
}

/** Runs to the end. Output is dropped: the server inherits it, and a pipe would stay open as long as the server runs. */
async function spawned(command: string, args: string[]): Promise<void> {
  await new Promise<void>((done, fail) => {
    const child = spawn(command, args, { stdio: 'ignore' });
    child.on('error', fail);
    child.on('exit', (code) => (code === 0 ? done() : fail(new Error(`${command} ended with ${code}`))));
  });
}

/** Makes the cluster beside its place and moves it there, so that a kill in between leaves nothing half made. */
async function initialise(binaries: PostgresBinaries, cluster: string): Promise<void> {
  const exists = await readFile(join(cluster, 'PG_VERSION')).catch(() => null);
  if (exists) return;
  const fresh = `${cluster}.new`;
  await rm(fresh, { recursive: true, force: true });
  const args = ['-D', fresh, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
  const [command, ...rest] = [...binaries.prefix, binaries.initdb, ...args];
  await run(command as string, rest);
  await appendFile(join(fresh, 'postgresql.conf'), "\ninclude 'energy.conf'\n");
  await rename(fresh, cluster);
}

async function createDatabase(dataDir: string): Promise<void> {
  const pool = createPool(embeddedUrl(dataDir, 'postgres'), { max: 1 });
  try {
    // Raw SQL: databases are made outside of any, where there is nothing to type.
    const { rowCount } = await pool.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await pool.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await pool.end();
  }
}
