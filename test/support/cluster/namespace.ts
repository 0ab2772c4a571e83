import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Runs a program from another root file system as one of that system's users, in separate namespaces. Its /proc is
 * mounted only there, and all its children are killed with its first process. The first process is killed when this
 * process ends for any reason, so no test leaves a server or a mount behind. `network`: file of its network namespace;
 * by default that of this process.
 */
export function startInNamespace(
  root: string,
  user: string,
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string | undefined>,
  network?: string,
): ChildProcess {
  const namespaces = ['unshare', '--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${root}/proc`];
  // The signal is set again for the new user, because changing the user clears it (prctl(2), PR_SET_PDEATHSIG).
  const untilEnd = ['setpriv', '--pdeathsig', 'KILL'];
  const inside = ['chroot', `--userspec=${user}:${user}`, root, ...untilEnd, 'sh', '-c', 'cd; exec "$@"', 'sh'];
  const elsewhere = network === undefined ? [] : ['nsenter', `--net=${network}`];
  // The signal is sent when the thread that started the program ends, so tests run in processes (vitest.config.ts,
  // forks).
  const [setpriv = '', ...rest] = [...untilEnd, ...elsewhere, ...namespaces, ...inside, program, ...args];
  return spawn(setpriv, rest, { env, stdio: 'ignore' });
}

/** Returns a process and all its descendants, with process ids as this process sees them. */
export function findProcessTree(pid: number): number[] {
  let children = '';
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    // The process has ended in the meantime.
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
