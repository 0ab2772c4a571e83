import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listDebian13TemporaryFolders } from '../test/support/tiers/debian-13-folders.ts';

/** Environment variable that marks the child process that performs the isolated run. */
const ISOLATED_RUN = 'BENCH_APART';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** Two signals within this time count as one Ctrl-C, because npm forwards a Ctrl-C that the terminal has already sent to the process. */
const SAME_CTRL_C_MS = 300;
/** Maximum time for a database to shut down, in ms. The database need not flush anything, because its files are removed. */
const MAX_DATABASE_END_MS = 10_000;

export const isIsolatedRun = (): boolean => process.env[ISOLATED_RUN] === '1';

/**
 * Runs this program again in a separate session, with a separate folder for temporary files, and exits with its exit code. Afterwards, all
 * its processes are ended and the folder is removed. A second signal ends the run at once. Linux only.
 */
export async function restartOnIsolatedServer(): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), 'energy-run-'));
  const [, ...args] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, TMPDIR: folder, [ISOLATED_RUN]: '1' },
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
        } else if (performance.now() - interrupted.atMs > SAME_CTRL_C_MS) {
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

/** Ends all processes of a run. A PostgreSQL server gets the signal for an immediate shutdown. */
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
    // The process has already ended, so there is nothing to signal.
  }
}

/**
 * Returns the processes of the session. Also returns processes whose working folder is below `folder`, because a database that `pg_ctl`
 * started has a separate session.
 */
function processesOf(session: number, folder: string): Process[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      // The format of /proc/PID/stat is: pid (comm) state ppid pgrp session … (proc(5)).
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

/**
 * Whether a process was started by the run: its working folder is in the run's folder, and its environment contains the run's TMPDIR.
 * PostgreSQL is recognised by its name, because it overwrites its environment.
 */
const isOf = (folder: string, pid: string, name: string): boolean =>
  workingFolderOf(pid).startsWith(folder + sep) &&
  (name === 'postgres' || readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`TMPDIR=${folder}`));

function workingFolderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // The folder of another user's process cannot be read. Such a process is not part of the run.
    return '';
  }
}

/**
 * Unmounts the disks below the run's folder and removes the folder. Also removes the run's folders in the separate root file system (Debian
 * 13), in which servers run.
 */
function removeFolder(folder: string): void {
  for (const line of readFileSync('/proc/self/mounts', 'utf8').split('\n')) {
    const [, place = ''] = line.split(' ');
    if (place.startsWith(folder + sep)) spawnSync('umount', ['-l', place]);
  }
  for (const path of [...listDebian13TemporaryFolders(folder), folder])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}
