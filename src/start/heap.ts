/**
 * What a role's process is started with, so that it takes little memory.
 *
 * Ingest turns over some 150 MB of short-lived objects a second. Left alone, V8 lets the heap grow to several times what
 * is in use before it collects, and a flood stood at 450 MiB with 60 MiB in use. A smaller young generation and an old one
 * that grows by half brought 250 MiB at the same rate (`npm run bench -- flood`); that was 24 MB, while each reading was 18 kB of
 * garbage, and messages that wait for their commit were copied with each collection. With 4 kB a reading 16 MB take no more memory than 8, and a tenth
 * less CPU time; 32 MB, and a heap that doubles, another tenth, and 60 MiB more.
 * Neither flag limits what may be in use.
 */
export const heapFlags = (role: string): string[] =>
  role === 'ingest' ? ['--max-semi-space-size=16', '--heap-growing-percent=50'] : [];

/**
 * Beside the heap: glibc gives each of Node's dozen threads an arena of its own, in which the values of statements leave holes.
 * Two of them took 40 MiB less (mallopt(3), M_ARENA_MAX); other libraries do not know the name.
 */
export const heapEnvironment = (role: string): Record<string, string> =>
  role === 'ingest' ? { MALLOC_ARENA_MAX: '2' } : {};

/**
 * Begins this process anew with what its role is started with, where it is no child that was forked so (execve(2)). What an owner has
 * set in the environment holds.
 */
export function takeHeapFlags(role: string): void {
  const flags = heapFlags(role).filter((flag) => !process.execArgv.includes(flag));
  const { execve, execPath, argv, execArgv, env } = process;
  if (flags.length === 0 || process.send || !execve) return;
  execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...heapEnvironment(role), ...env });
}
