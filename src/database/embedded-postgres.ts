import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { usableMemoryBytes } from '#src/core/memory.ts';
import {
  DATABASE,
  ensureRole,
  makeSocketFolder,
  ROLE,
  removeSocketFolder,
  SOCKET_NAME,
  SUPERUSER,
  socketFolderOf,
} from './embedded-role.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';

const run = promisify(execFile);

/** A running server below a data directory. */
export interface EmbeddedPostgres {
  url: string;
  /** Whether it was already running, left behind by a service that was killed. */
  adopted: boolean;
  /** Ends it, with everything flushed. */
  stop(): Promise<void>;
}

/** The cluster of a data directory. */
export const clusterOf = (dataDir: string): string => join(resolve(dataDir), 'postgres');

const urlOf = (role: string, dataDir: string, database: string): string =>
  `postgresql://${role}@localhost/${database}?host=${encodeURIComponent(socketFolderOf(clusterOf(dataDir)))}`;

/** URL of the embedded database below `dataDir`, running or not, as the service works in it. */
export const embeddedUrl = (dataDir: string): string => urlOf(ROLE, dataDir, DATABASE);

/** URL of any database of its server, as the superuser: for roles and databases, which the service's own role may not make. */
export const superuserUrl = (dataDir: string, database: string): string => urlOf(SUPERUSER, dataDir, database);

/** Settings for ingest: durable (a commit is on disk), generous with WAL, memory by the machine's size. */
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
`;
}

/** An eighth of the memory, between 128 MB and 2 GB: no more is touched by a million meters with each of their readings. */
const defaultSharedBuffersMb = () => Math.min(2048, Math.max(128, Math.floor(usableMemoryBytes() / 8 / 2 ** 20)));

/**
 * Starts the PostgreSQL server of `dataDir`, making the cluster first where there is none. A server that is already
 * running on this directory (its starter was killed) is taken over: there is never a second one. Errors say what the
 * server's log says. `binaries`: other than those that this version brings; a cluster belongs to one major version.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  sharedBuffersMb?: number;
  binaries?: PostgresBinaries;
}): Promise<EmbeddedPostgres> {
  const { dataDir, sharedBuffersMb = defaultSharedBuffersMb(), binaries = postgresBinaries() } = options;
  const cluster = clusterOf(dataDir);
  const logFile = join(resolve(dataDir), 'postgres.log');
  await mkdir(resolve(dataDir), { recursive: true });
  await refuseOtherMajor(dataDir, binaries);
  await initialise(binaries, cluster);
  await forgetStale(cluster);
  const adopted = await isEmbeddedAlive(dataDir);
  if (!adopted) {
    await writeFile(join(cluster, 'energy.conf'), settings(makeSocketFolder(cluster), sharedBuffersMb));
    await pgCtl(binaries, cluster, ['-w', '-t', '60', '-l', basename(logFile), 'start']).catch(async (error) => {
      const log = await readFile(logFile, 'utf8').catch(() => '');
      throw new Error(`The embedded PostgreSQL did not start. End of ${logFile}:\n${log.slice(-2000)}`, {
        cause: error,
      });
    });
  }
  await ensureRole((database) => superuserUrl(dataDir, database));
  return { url: embeddedUrl(dataDir), adopted, stop: () => stopEmbeddedPostgres(dataDir, binaries) };
}

/** Ends the server of `dataDir`, where one runs, with everything flushed. */
export async function stopEmbeddedPostgres(dataDir: string, binaries: PostgresBinaries): Promise<void> {
  if (!(await isEmbeddedAlive(dataDir))) return;
  await pgCtl(binaries, clusterOf(dataDir), ['-w', '-t', '60', '-m', 'fast', 'stop']);
  removeSocketFolder(clusterOf(dataDir));
}

/** Major version of the PostgreSQL that made the cluster of `dataDir`; null where there is none. */
export async function majorOf(dataDir: string): Promise<number | null> {
  const version = await readFile(join(clusterOf(dataDir), 'PG_VERSION'), 'utf8').catch(() => null);
  return version === null ? null : Number.parseInt(version, 10);
}

/** Where an upgrade to another major version works, below the data directory, and where it makes the new cluster. */
export const upgradeFolderOf = (dataDir: string): string => join(resolve(dataDir), 'upgrade');
export const upgradedDirOf = (dataDir: string): string => join(upgradeFolderOf(dataDir), 'new');

async function refuseOtherMajor(dataDir: string, { major }: PostgresBinaries): Promise<void> {
  const made = await majorOf(dataDir);
  if (made === null && hasEmbedded(upgradedDirOf(dataDir)))
    throw new Error(
      'An upgrade of the database was broken off at its end. Run "npx energy upgrade-database" again: it goes on there.',
    );
  if (made === null || made === major) return;
  const what = `The database in ${clusterOf(dataDir)} is of PostgreSQL ${made}, and this version of the service brings ${major}.`;
  throw new Error(
    made < major
      ? `${what} Run "npx energy upgrade-database": it makes a new one of it, and keeps the old one.`
      : `${what} Run the version of the service again that made it, or a later one.`,
  );
}

/** Process id in a cluster's pid file; null where there is none. */
async function pidIn(cluster: string): Promise<number | null> {
  const [pid = ''] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return /^[1-9]\d*$/.test(pid) ? Number(pid) : null;
}

/**
 * A pid file that is left behind looks alive to pg_ctl and to PostgreSQL where its number is a zombie's, which nobody reaps (containers
 * without an init), or another process's by now. The server's shared memory is checked by PostgreSQL itself at the start.
 */
async function forgetStale(cluster: string): Promise<void> {
  const pid = await pidIn(cluster);
  if (pid === null || (await isServerOf(cluster, pid))) return;
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  await rm(join(socketFolderOf(cluster), `${SOCKET_NAME}.lock`), { force: true });
}

/** Whether `dataDir` has an embedded database, running or not. */
export const hasEmbedded = (dataDir: string): boolean => existsSync(join(clusterOf(dataDir), 'PG_VERSION'));

/** Whether the server of `dataDir` runs: by its pid file, without a process of its own to ask. */
export async function isEmbeddedAlive(dataDir: string): Promise<boolean> {
  const cluster = clusterOf(dataDir);
  const pid = await pidIn(cluster);
  return pid !== null && (await isServerOf(cluster, pid));
}

/** Whether a process lives, and is the cluster's server: that works in its folder. */
async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, name, state] = /\((.*)\) (.)/s.exec(stat) ?? [];
  if (state === 'Z' || state === 'X' || (name !== undefined && name !== 'postgres')) return false;
  // Where there is no /proc, or it is not ours to look into, that has to do.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return folder === null || folder === (await realpath(cluster));
}

/** By names within the data directory: pg_ctl hands them to a shell, to which a path may say something. */
async function pgCtl(binaries: PostgresBinaries, cluster: string, args: string[]): Promise<void> {
  const [command, ...rest] = [...binaries.prefix, binaries.pgCtl, '-D', basename(cluster), ...args];
  await spawned(command as string, rest, dirname(cluster));
}

/** Runs to the end. Output is dropped: the server inherits it, and a pipe would stay open as long as the server runs. */
async function spawned(command: string, args: string[], cwd: string): Promise<void> {
  await new Promise<void>((done, fail) => {
    const child = spawn(command, args, { cwd, stdio: 'ignore' });
    child.on('error', fail);
    child.on('exit', (code) => (code === 0 ? done() : fail(new Error(`${command} ended with ${code}`))));
  });
}

/** Makes the cluster beside its place and moves it there, so that a kill in between leaves nothing half made. */
async function initialise(binaries: PostgresBinaries, cluster: string): Promise<void> {
  if (existsSync(join(cluster, 'PG_VERSION'))) return;
  const fresh = `${cluster}.new`;
  await rm(fresh, { recursive: true, force: true });
  const args = ['-D', fresh, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
  const [command, ...rest] = [...binaries.prefix, binaries.initdb, ...args];
  await run(command as string, rest);
  await appendFile(join(fresh, 'postgresql.conf'), "\ninclude 'energy.conf'\n");
  await rename(fresh, cluster);
}
