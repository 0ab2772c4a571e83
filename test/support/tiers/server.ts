import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createPool } from '#src/database/connect.ts';

/** A PostgreSQL server on which the tests create databases. */
export interface TestPostgresServer {
  urlOf(database: string): string;
  stop(): Promise<void>;
}

/** Returns a function that builds the URL of a database. `folder`: folder of the server's socket. */
const socketUrl = (folder: string) => (database: string) =>
  `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`;

/** Command of the database in the compose file, whose settings the tests use. */
const deployed: string[] = parse(readFileSync(new URL('../../../deploy/compose.yaml', import.meta.url), 'utf8'))
  .services.database.command.slice(1)
  .filter((argument: string) => argument !== '-c');

/** Returns the settings of the tests' servers: those of the compose file, without flushing to disk. */
const settings = (folder: string, preload: boolean) => `
${deployed.filter((line) => preload || !/^(shared_preload|timescaledb)/.test(line)).join('\n')}
listen_addresses = ''
unix_socket_directories = '${folder}'
max_worker_processes = 1
max_connections = 200
dynamic_shared_memory_type = mmap
shared_buffers = 256MB
fsync = off
log_min_messages = panic
log_min_error_statement = fatal
`;

/**
 * Creates a database cluster and runs a server on it until `stop`. `folder`: parent folder of the cluster. `inside`: the same folder inside
 * a chroot. `prefix`: words before every command.
 */
export async function runPostgresServer(options: {
  bin: string;
  prefix: readonly string[];
  folder: string;
  inside: string;
  /** Whether TimescaleDB is preloaded. If it is not, its extension cannot be created in a database. */
  preload?: boolean;
}): Promise<TestPostgresServer> {
  const { bin, prefix, folder, inside, preload = true } = options;
  const command = (program: string, ...args: string[]) => [...prefix, join(bin, program), ...args] as [string];
  const [initdb, ...initdbArgs] = command(
    'initdb',
    '-D',
    `${inside}/d`,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '-N',
  );
  execFileSync(initdb, initdbArgs, { stdio: ['ignore', 'ignore', 'inherit'] });
  appendFileSync(join(folder, 'd/postgresql.conf'), settings(inside, preload));
  const [postgres, ...args] = command('postgres', '-D', `${inside}/d`);
  const child = spawn(postgres, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const urlOf = socketUrl(folder);
  await answers(urlOf('postgres'), child);
  return {
    urlOf,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const pool = createPool(url, { max: 1 });
  try {
    for (let attempt = 0; attempt < 300; attempt++) {
      if (child.exitCode !== null) throw new Error(`the test server ended with ${child.exitCode}`);
      const ready = await pool.query('SELECT 1').then(
        () => true,
        () => false,
      );
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('the test server did not answer within 30 s');
  } finally {
    await pool.end();
  }
}

/** Returns the ids of a user and its group, from /etc/passwd of the root file system `root`. */
export function findUnixUserIds(root: string, name: string): { uid: number; gid: number } {
  const line = readFileSync(join(root, 'etc/passwd'), 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
