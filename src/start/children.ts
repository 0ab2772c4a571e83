import { type ChildProcess, fork } from 'node:child_process';
import { execArgv } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '#src/core/log.ts';
import { heapEnvironment, heapFlags } from './heap.ts';

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
