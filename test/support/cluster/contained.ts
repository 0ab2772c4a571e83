import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeInnerFolder } from '../tiers/inner-folder.ts';
import { DEBIAN_13 } from '../tiers/reach.ts';
import { userIn } from '../tiers/server.ts';

/** A program of Debian 13 with all that it starts, in namespaces of its own: it ends with the test, also where that is killed. */
export interface Contained {
  /** What it wrote on both outputs. */
  output(): string;
  isRunning(): boolean;
  /** SIGKILL to the program and all that it started, at once; resolves when they are gone. */
  kill(): Promise<void>;
  /** SIGSTOP to all of them, in one go as far as that can be. */
  freeze(): void;
  continue(): void;
}

/** A folder in Debian 13 that its user postgres may write to. `inside`: as programs there see it. */
export interface InnerFolder {
  path: string;
  inside: string;
  remove(): void;
}

export function innerFolder(): InnerFolder {
  const path = makeInnerFolder();
  const { uid, gid } = userIn(DEBIAN_13, 'postgres');
  chownSync(path, uid, gid);
  return { path, inside: path.slice(DEBIAN_13.length), remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * /proc, /dev, /dev/shm and /run as programs need them (without /dev/shm Patroni never promotes), seen by this program alone. The
 * shell stays, as the first process of its namespace: whoever becomes another user is no longer killed with its parent.
 */
const MOUNT = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs -o mode=1777 shm "$0/dev/shm" &&
  mount -t tmpfs -o mode=755 run "$0/run" && mkdir -m 1777 "$0/run/postgresql" &&
  chroot --userspec=postgres:postgres "$0" "$@"; exit $?`;

/** Runs a program in Debian 13 as its user postgres, in namespaces of mounts and processes. Needs root. */
export function startContained(
  command: readonly string[],
  { env, folder }: { env: Readonly<Record<string, string>>; folder: InnerFolder },
): Contained {
  mkdirSync(folder.path, { recursive: true });
  const log = join(folder.path, 'log');
  const output = openSync(log, 'a');
  const child: ChildProcess = spawn(
    'setpriv',
    // Killed with us, and all within with it.
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
    ].concat(DEBIAN_13, command),
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
      // Of a namespace whose first process is killed all are, and it ends when none is left; unshare follows it.
      const first = all().find(isFirst);
      if (first === undefined) child.kill('SIGKILL');
      else process.kill(first, 'SIGKILL');
      await ended;
    },
    freeze: () => signal('SIGSTOP'),
    continue: () => signal('SIGCONT'),
  };
}

/** Whether it is the first process of its namespace: the last of its numbers is 1. */
const isFirst = (pid: number): boolean => {
  try {
    return /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // It ended meanwhile.
    return false;
  }
};

/** What runs in the namespace of processes that this `unshare` made. */
function processesWithin(unshare: number): number[] {
  const namespace = (pid: string, name: 'pid' | 'pid_for_children') => {
    try {
      return readlinkSync(`/proc/${pid}/ns/${name}`);
    } catch {
      // It has ended meanwhile.
      return undefined;
    }
  };
  const own = namespace(String(unshare), 'pid_for_children');
  // Not made yet: it would be ours.
  if (own === undefined || own === namespace('self', 'pid')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && namespace(name, 'pid') === own)
    .map(Number);
}
