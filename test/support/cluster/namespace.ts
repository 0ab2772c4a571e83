import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Runs a program of another root file system in separate namespaces, in which /proc is mounted. It is killed with its child processes when
 * this process ends. `network`: file of the network namespace; default: that of this process.
 */
export function startInNamespace(
  root: string,
  user: string,
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string | undefined>,
  network?: string,
): ChildProcess {
  const namespaces = ['unshare', '--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${root}/proc`];
  // A change of user clears the parent-death signal, so it is set again (prctl(2), PR_SET_PDEATHSIG).
  const untilEnd = ['setpriv', '--pdeathsig', 'KILL'];
  const inside = ['chroot', `--userspec=${user}:${user}`, root, ...untilEnd, 'sh', '-c', 'cd; exec "$@"', 'sh'];
  const elsewhere = network === undefined ? [] : ['nsenter', `--net=${network}`];
  // The kernel sends the signal when the starting thread ends, so tests must run in processes instead of threads.
  const [setpriv = '', ...rest] = [...untilEnd, ...elsewhere, ...namespaces, ...inside, program, ...args];
  return spawn(setpriv, rest, { env, stdio: 'ignore' });
}

/** Returns the ids of a process and all its descendants. */
export function findProcessTree(pid: number): number[] {
  let children = '';
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    // The process has already ended.
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
