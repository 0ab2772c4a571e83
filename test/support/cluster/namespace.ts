import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Runs a program of another root as a user of it, in namespaces of its own: its /proc is mounted there only, and all that it started is
 * killed with its first process. That one is killed when this process ends, in whatever way: no test leaves a server or a mount behind.
 * `network`: the namespace of its network, as a file; ours by default.
 */
export function inNamespace(
  root: string,
  user: string,
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string | undefined>,
  network?: string,
): ChildProcess {
  const namespaces = ['unshare', '--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${root}/proc`];
  // Once more as that user: who becomes another one forgets it (prctl(2), PR_SET_PDEATHSIG).
  const untilEnd = ['setpriv', '--pdeathsig', 'KILL'];
  const inside = ['chroot', `--userspec=${user}:${user}`, root, ...untilEnd, 'sh', '-c', 'cd; exec "$@"', 'sh'];
  const elsewhere = network === undefined ? [] : ['nsenter', `--net=${network}`];
  // The signal comes when the thread that started it ends: tests run in processes (vitest.config.ts, forks).
  const [setpriv = '', ...rest] = [...untilEnd, ...elsewhere, ...namespaces, ...inside, program, ...args];
  return spawn(setpriv, rest, { env, stdio: 'ignore' });
}

/** A process and all that it and its children started, as this process sees them. */
export function everyProcessOf(pid: number): number[] {
  let children = '';
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    // Gone meanwhile.
  }
  return [
    pid,
    ...children
      .trim()
      .split(' ')
      .filter(Boolean)
      .flatMap((child) => everyProcessOf(Number(child))),
  ];
}
