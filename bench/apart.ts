import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { innerFoldersOf } from '../test/support/tiers/inner-folder.ts';

/** Says to the process within that it is. */
const APART = 'BENCH_APART';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** npm passes Ctrl-C on to a process that had it from the terminal already: so soon after each other two are one. */
const SAME_KEY_MS = 300;
/** How long a database may take to end. It flushes nothing: its files are removed. */
const MAX_DATABASE_END_MS = 10_000;

export const isApart = (): boolean => process.env[APART] === '1';

/**
 * Runs this very program again, in a session and a folder for temporary files of its own, and ends with its exit code. However it ends, what it
 * started is ended and the folder removed. On SIGINT, SIGTERM, SIGHUP and SIGQUIT it is ended, too; on a second one at once, and the folder stays. (A
 * process of its own does so, because one that measures may not look at signals for seconds, and may be amid starting something.) Linux only.
 */
export async function runApart(): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), 'energy-run-'));
  const [, ...args] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, TMPDIR: folder, [APART]: '1' },
  });
  const session = child.pid as number;
  let interrupted: { by: (typeof SIGNALS)[number]; atMs: number } | undefined;
  const ended = new Promise<number>((done) => {
    child.once('exit', (code, signal) => done(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    for (const signal of SIGNALS)
      process.on(signal, () => {
        if (interrupted === undefined) {
          interrupted = { by: signal, atMs: performance.now() };
          process.stderr.write('\nEnding what was started …\n');
          done(128 + constants.signals[signal]);
        } else if (performance.now() - interrupted.atMs > SAME_KEY_MS) {
          for (const { pid } of processesOf(session, folder)) end(pid, 'SIGKILL');
          process.stderr.write(`Left behind: ${folder}\n`);
          process.exit(128 + constants.signals[signal]);
        }
      });
  });
  const code = await ended;
  await endAll(session, folder);
  removeFolder(folder);
  process.exit(code);
}

interface Process {
  pid: number;
  parent: number;
  name: string;
}

/**
 * Ends all processes of a run. Those of PostgreSQL by its immediate shutdown, which gives shared memory back; so its children are left to it.
 */
async function endAll(session: number, folder: string): Promise<void> {
  const isDatabase = ({ name }: Process) => name === 'postgres';
  for (const untilMs = performance.now() + MAX_DATABASE_END_MS; ; await pause(50)) {
    const left = processesOf(session, folder);
    if (left.length === 0) return;
    const isLate = performance.now() > untilMs;
    const databases = new Set(left.filter(isDatabase).map(({ pid }) => pid));
    for (const one of left) {
      if (!isDatabase(one) || isLate) end(one.pid, 'SIGKILL');
      else if (!databases.has(one.parent)) end(one.pid, 'SIGQUIT');
    }
  }
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone meanwhile.
  }
}

/**
 * What runs in the session, or works below the folder: a database that `pg_ctl` started has a session of its own. Zombies are nobody's to end.
 */
function processesOf(session: number, folder: string): Process[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      // proc_pid_stat(5): pid (comm) state ppid pgrp session …
      const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? [];
      const [state = '', parent, , itsSession] = rest.split(' ');
      if ('ZX'.includes(state)) return [];
      const isOurs = Number(itsSession) === session || isOf(folder, entry, name);
      return isOurs ? [{ pid: Number(entry), parent: Number(parent), name }] : [];
    } catch {
      return [];
    }
  });
}

/** Whether it was started by the run, too, and not by somebody who looks at its folder. PostgreSQL writes its title over its environment. */
const isOf = (folder: string, pid: string, name: string): boolean =>
  workingFolderOf(pid).startsWith(folder + sep) &&
  (name === 'postgres' || readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`TMPDIR=${folder}`));

function workingFolderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // Another user's.
    return '';
  }
}

/** With the disks that were put below it, and what lies in the other root that servers run in. */
function removeFolder(folder: string): void {
  for (const line of readFileSync('/proc/self/mounts', 'utf8').split('\n')) {
    const [, place = ''] = line.split(' ');
    if (place.startsWith(folder + sep)) spawnSync('umount', ['-l', place]);
  }
  for (const path of [...innerFoldersOf(folder), folder]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
