import { type ChildProcess, fork } from 'node:child_process';
import { execArgv } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '#src/core/log.ts';
import { hasLittleMemory } from '#src/core/memory.ts';

/** Path of the program of the command line, which also runs the roles. */
export const MAIN_PROGRAM_PATH = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const RESTART_MS = { first: 200, longest: 10_000 };
/** Running time in ms after which a child process counts as stable, and its next restart is not delayed. */
const STEADY_MS = 30_000;
/** Time in ms for a child process to stop gracefully before it is killed; a webhook may take 5 s to respond. */
const STOP_MS = 7_000;

/** Maximum time in ms for a role to answer a request of its supervisor. */
const ANSWER_MS = 2_000;

/** Requests of the supervisor to its roles (child processes), over the IPC channel. */
type Question = 'metrics' | 'health';
export interface RoleProcessRequest {
  ask: Question;
  number: number;
}

/** A role that runs in its own process, which is restarted whenever it exits. */
export interface SupervisedRole {
  /** Resolves when the child process is ready for the first time; rejects if it exits earlier. */
  ready: Promise<Record<string, unknown>>;
  /** Returns the child's answer. Null if the child is down or does not answer in time. */
  ask(question: Question): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Starts `energy <role>` as a child process with the environment variables `env`. `leavesForMs`: additional time that the role needs to
 * stop.
 */
export function startSupervisedRole(
  role: string,
  env: Record<string, string | undefined>,
  log: Logger,
  leavesForMs = 0,
): SupervisedRole {
  let child: ChildProcess | undefined;
  let stopping = false;
  let delayMs = RESTART_MS.first;
  let timer: NodeJS.Timeout | undefined;
  let exited: Promise<void> = Promise.resolve();
  let isReady = false;
  const requests = new PendingRequests();
  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    const start = () => {
      const startedAtMs = performance.now();
      const process = fork(MAIN_PROGRAM_PATH, [role], {
        env: { ...getHeapEnvironment(role), ...env } as NodeJS.ProcessEnv,
        execArgv: [...execArgv, ...getHeapFlags(role)],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      child = process;
      process.on('message', (message: Record<string, unknown>) => {
        if (typeof message.number === 'number') return requests.answer(message.number, message.answer);
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
    ask: async (question) => (isReady && child ? requests.send(child, question) : null),
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

class PendingRequests {
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #sent = 0;

  /** Sends a request. Returns the answer; null if the child does not answer in time. */
  send(child: ChildProcess, ask: Question): Promise<unknown> {
    const number = ++this.#sent;
    return new Promise((resolve) => {
      const answer = (value: unknown) => {
        clearTimeout(late);
        this.#waiting.delete(number);
        resolve(value);
      };
      const late = setTimeout(() => answer(null), ANSWER_MS);
      this.#waiting.set(number, answer);
      child.send({ ask, number } satisfies RoleProcessRequest, (error) => error && answer(null));
    });
  }

  answer(number: number, value: unknown): void {
    this.#waiting.get(number)?.(value);
  }
}

/**
 * V8 flags that limit the memory of a role's process. With default flags, the heap grows to several times the memory in use: under a flood
 * of messages, ingest took 450 MiB instead of 250 MiB (`npm run bench -- flood`). A young generation of 16 MB takes no more memory than one
 * of 8 MB, but less CPU time. On a machine with less than 1 GiB of memory, it has 2 MB.
 */
export function getHeapFlags(role: string): string[] {
  const flags = (semiSpaceMb: number) => [`--max-semi-space-size=${semiSpaceMb}`, '--heap-growing-percent=50'];
  if (hasLittleMemory()) return flags(2);
  return role === 'ingest' || role === 'api' ? flags(16) : [];
}

/**
 * Returns environment variables that limit memory outside the V8 heap. With at most two glibc arenas (M_ARENA_MAX), the process took 40 MiB
 * less. Other C libraries ignore the variable.
 */
export const getHeapEnvironment = (role: string): Record<string, string> =>
  role === 'ingest' || hasLittleMemory() ? { MALLOC_ARENA_MAX: '2' } : {};

/**
 * Restarts this process with the V8 flags and environment of its role, unless a supervisor has started it with them. The operator's
 * environment takes precedence.
 */
export function restartWithHeapFlags(role: string): void {
  const flags = getHeapFlags(role).filter((flag) => !process.execArgv.includes(flag));
  const { execve, execPath, argv, execArgv, env } = process;
  if (flags.length === 0 || process.send || !execve) return;
  execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...getHeapEnvironment(role), ...env });
}
