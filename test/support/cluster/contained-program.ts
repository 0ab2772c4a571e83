import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DEBIAN_13_FOLDER } from '../tiers/available-tiers.ts';
import { createDebian13TemporaryFolder } from '../tiers/debian-13-folders.ts';
import { findUnixUserIds } from '../tiers/server.ts';

/** A program in Debian 13's file system, with its child processes, in separate namespaces. It ends with the test. */
export interface NamespacedProgram {
  /** Standard output and standard error of the program so far. */
  output(): string;
  isRunning(): boolean;
  /** Sends SIGKILL to the program and its children. Resolves when they have ended. */
  kill(): Promise<void>;
  /** Sends SIGSTOP to the program and its children. */
  freeze(): void;
  continue(): void;
}

/** A folder in the file system of Debian 13 that its user postgres can write. `inside`: the folder's path for programs in Debian 13. */
export interface Debian13Folder {
  path: string;
  inside: string;
  remove(): void;
}

export function createDebian13Folder(): Debian13Folder {
  const path = createDebian13TemporaryFolder();
  const { uid, gid } = findUnixUserIds(DEBIAN_13_FOLDER, 'postgres');
  chownSync(path, uid, gid);
  return {
    path,
    inside: path.slice(DEBIAN_13_FOLDER.length),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * Shell command that mounts /proc, /dev, /dev/shm and /run for the program only. The shell remains the namespace's first process, so that
 * the program ends with it.
 */
const MOUNT = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs -o mode=1777 shm "$0/dev/shm" &&
  mount -t tmpfs -o mode=755 run "$0/run" && mkdir -m 1777 "$0/run/postgresql" &&
  chroot --userspec=postgres:postgres "$0" "$@"; exit $?`;

/** Starts a program in Debian 13 as its user postgres, with separate mount and process namespaces. Needs root. */
export function startProgramInDebian13(
  command: readonly string[],
  { env, folder }: { env: Readonly<Record<string, string>>; folder: Debian13Folder },
): NamespacedProgram {
  mkdirSync(folder.path, { recursive: true });
  const log = join(folder.path, 'log');
  const output = openSync(log, 'a');
  const child: ChildProcess = spawn(
    'setpriv',
    // If this process ends, the program and all its children are killed.
    [
      '--pdeathsig',
      'KILL',
      'unshare',
      '--mount',
      '--pid',
      '--fork',
      '--kill-child=KILL',
      '--',
      'sh',
      '-c',
      MOUNT,
    ].concat(DEBIAN_13_FOLDER, command),
    { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', ...env }, stdio: ['ignore', output, output] },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const all = () => processesWithin(child.pid as number);
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of all()) process.kill(pid, name);
  };
  return {
    output: () => readFileSync(log, 'utf8'),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      // If the first process of a namespace is killed, the kernel kills all others.
      const first = all().find(isFirst);
      if (first === undefined) child.kill('SIGKILL');
      else process.kill(first, 'SIGKILL');
      await ended;
    },
    freeze: () => signal('SIGSTOP'),
    continue: () => signal('SIGCONT'),
  };
}

/** Whether a process is the first process of its namespace (its id there is 1). */
const isFirst = (pid: number): boolean => {
  try {
    return /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // The process has already ended.
    return false;
  }
};

/** Returns the ids of all processes in the namespace of this `unshare` process. */
function processesWithin(unshare: number): number[] {
  const namespace = (pid: string, name: 'pid' | 'pid_for_children') => {
    try {
      return readlinkSync(`/proc/${pid}/ns/${name}`);
    } catch {
      // The process has already ended.
      return undefined;
    }
  };
  const own = namespace(String(unshare), 'pid_for_children');
  // Until `unshare` has created its namespace, its child processes belong to the test's own namespace.
  if (own === undefined || own === namespace('self', 'pid')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && namespace(name, 'pid') === own)
    .map(Number);
}
