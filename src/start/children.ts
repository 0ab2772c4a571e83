import { type ChildProcess, fork } from 'node:child_process';
import { execArgv } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '#src/core/log.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const RESTART_MS = { first: 200, longest: 10_000 };
/** A child that ran this long starts its backoff anew. */
const STEADY_MS = 30_000;
/** What a child has to stop in order (a webhook's answer takes 5 s at most); then it is killed. */
const STOP_MS = 7_000;

/** How long a role has to answer its supervisor. */
const ANSWER_MS = 2_000;

/** What a supervisor asks its roles, without a port: another process of the service could have it. */
type Question = 'metrics' | 'health';
export interface Asked {
  ask: Question;
  number: number;
}

/** A role in a process of its own, started again whenever it dies. */
export interface Child {
  /** Resolves when it is ready for the first time; rejects where it dies before that. */
  ready: Promise<Record<string, unknown>>;
  /** What it answers to a question; null where it is down, or does not answer in time. */
  ask(question: Question): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts `energy <role>` as a child process with this environment. `leavesForMs`: what it takes to stop beside that, by intent. */
export function startChild(role: string, env: Record<string, string | undefined>, log: Logger, leavesForMs = 0): Child {
  let child: ChildProcess | undefined;
  let stopping = false;
  let delayMs = RESTART_MS.first;
  let timer: NodeJS.Timeout | undefined;
  let exited: Promise<void> = Promise.resolve();
  let isReady = false;
  const questions = new Map<number, (answer: unknown) => void>();
  let asked = 0;
  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    const start = () => {
      const startedAtMs = performance.now();
      const process = fork(MAIN, [role], {
        env: { ...heapEnvironment(role), ...env } as NodeJS.ProcessEnv,
        execArgv: [...execArgv, ...heapFlags(role)],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      child = process;
      process.on('message', (message: Record<string, unknown>) => {
        if (typeof message.number === 'number') return questions.get(message.number)?.(message.answer);
        isReady = true;
        resolve(message);
      });
      exited = new Promise((done) => {
        process.on('exit', (code, signal) => {
          isReady = false;
          done();
          reject(new Error(`energy ${role} did not start (${signal ?? `exit code ${code}`}); its messages are above`));
          if (stopping) return;
          if (performance.now() - startedAtMs > STEADY_MS) delayMs = RESTART_MS.first;
          log.warn({ role, code, signal, retry_in_ms: delayMs }, 'role exited, restarting it');
          timer = setTimeout(start, delayMs);
          delayMs = Math.min(delayMs * 2, RESTART_MS.longest);
        });
      });
    };
    start();
  });
  ready.catch(() => {});
  return {
    ready,
    ask(question) {
      if (!isReady) return Promise.resolve(null);
      const number = ++asked;
      return new Promise((done) => {
        const answer = (value: unknown) => {
          clearTimeout(late);
          questions.delete(number);
          done(value);
        };
        const late = setTimeout(() => answer(null), ANSWER_MS);
        questions.set(number, answer);
        child?.send({ ask: question, number } satisfies Asked, (error) => error && answer(null));
      });
    },
    async stop() {
      stopping = true;
      clearTimeout(timer);
      child?.kill('SIGTERM');
      const kill = setTimeout(() => child?.kill('SIGKILL'), STOP_MS + leavesForMs);
      await exited;
      clearTimeout(kill);
    },
  };
}

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
