import { type ChildProcess, fork } from 'node:child_process';
import { execArgv } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '#src/core/log.ts';
import { heapFlags } from './heap.ts';

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const RESTART_MS = { first: 200, longest: 10_000 };
/** A child that ran this long starts its backoff anew. */
const STEADY_MS = 30_000;
/** What a child has to stop in order (a webhook's answer takes 5 s at most); then it is killed. */
const STOP_MS = 7_000;

/** A role in a process of its own, started again whenever it dies. */
export interface Child {
  /** Resolves when it is ready for the first time; rejects where it dies before that. */
  ready: Promise<Record<string, unknown>>;
  /** What it said when it was last ready; null while it is down. */
  readonly said: Record<string, unknown> | null;
  stop(): Promise<void>;
}

/** Starts `energy <role>` as a child process with this environment. */
export function startChild(role: string, env: Record<string, string | undefined>, log: Logger): Child {
  let child: ChildProcess | undefined;
  let stopping = false;
  let delayMs = RESTART_MS.first;
  let timer: NodeJS.Timeout | undefined;
  let exited: Promise<void> = Promise.resolve();
  let said: Record<string, unknown> | null = null;
  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    const start = () => {
      const startedAtMs = Date.now();
      const process = fork(MAIN, [role], {
        env: env as NodeJS.ProcessEnv,
        execArgv: [...execArgv, ...heapFlags(role)],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      child = process;
      process.on('message', (message) => {
        said = message as Record<string, unknown>;
        resolve(said);
      });
      exited = new Promise((done) => {
        process.on('exit', (code, signal) => {
          said = null;
          done();
          reject(new Error(`energy ${role} did not start (${signal ?? `exit code ${code}`}); its messages are above`));
          if (stopping) return;
          if (Date.now() - startedAtMs > STEADY_MS) delayMs = RESTART_MS.first;
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
    get said() {
      return said;
    },
    async stop() {
      stopping = true;
      clearTimeout(timer);
      child?.kill('SIGTERM');
      const kill = setTimeout(() => child?.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(kill);
    },
  };
}
