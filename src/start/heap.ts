/**
 * Flags of V8 for a role, on the command line of its process.
 *
 * Ingest turns over some 100 MB of short-lived objects a second. Left alone, V8 lets the heap grow to several times what
 * is in use before it collects, and a flood stood at 450 MiB with 60 MiB in use. A smaller young generation and an old one
 * that grows by half brought 250 MiB at the same rate (`npm run bench -- flood`). Neither flag limits what may be in use.
 */
export const heapFlags = (role: string): string[] =>
  role === 'ingest' ? ['--max-semi-space-size=24', '--heap-growing-percent=50'] : [];

/** Begins this process anew with a role's flags, where it is no child that was forked with them (execve(2)). */
export function takeHeapFlags(role: string): void {
  const flags = heapFlags(role).filter((flag) => !process.execArgv.includes(flag));
  const { execve, execPath, argv, execArgv, env } = process;
  if (flags.length === 0 || process.send || !execve) return;
  execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], env);
}
