import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Runs a program of another root file system as one of that system's users, in separate namespaces. /proc is mounted only in these
 * namespaces. The program and all its child processes are killed if the program's first process is killed, or if this process ends for any
 * reason. So no test leaves a server or a mount behind. `network`: file of the network namespace; the default is that of this process.
 */
export function startInNamespace(
  root: string,
  user: string,
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string | undefined>,
  network?: string,
): ChildProcess {
  const namespaces = ['unshare', '--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${root}/proc`];
  // Sets the parent-death signal again for the new user, because a change of user clears it (prctl(2), PR_SET_PDEATHSIG).
  const untilEnd = ['setpriv', '--pdeathsig', 'KILL'];
  const inside = ['chroot', `--userspec=${user}:${user}`, root, ...untilEnd, 'sh', '-c', 'cd; exec "$@"', 'sh'];
  const elsewhere = network === undefined ? [] : ['nsenter', `--net=${network}`];
  // The kernel sends the parent-death signal when the starting thread ends. Tests must therefore run in processes, not in threads
  // (vitest.config.ts, forks).
  const [setpriv = '', ...rest] = [...untilEnd, ...elsewhere, ...namespaces, ...inside, program, ...args];
  return spawn(setpriv, rest, { env, stdio: 'ignore' });
}

/** Returns the ids of a process and all its descendants, as seen by this process. */
export function findProcessTree(pid: number): number[] {
  let children = '';
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    // The process has ended since its id was listed.
  }
  return [
    pid,
    ...children
      .trim()
      .split(' ')
      .filter(Boolean)
      .flatMap((child) => findProcessTree(Number(child))),
  ];
}
