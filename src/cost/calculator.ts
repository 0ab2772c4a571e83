import { availableParallelism } from 'node:os';
import { AppError } from '#src/core/errors.ts';
import { createThreadPool } from '#src/core/threads.ts';
import type { CompareTask, WhatIfResult, WhatIfTask } from './compute.task.ts';
import type { Cost } from './cost.ts';

/** Seconds after which a refused client should try again. */
const RETRY_AFTER_SECONDS = 2;
/** Maximum number of calculations that wait for a thread. Each takes up to 20 MB of memory. */
const MAY_WAIT = 8;

/** Creates a calculator, which runs long calculations in worker threads. `limitMs`: maximum time of a calculation. */
export function createCalculator({ limitMs = 10_000 }: { limitMs?: number } = {}) {
  const threads = createThreadPool<CompareTask | WhatIfTask, (Cost | null)[] | WhatIfResult>(
    new URL('./compute.task.ts', import.meta.url),
    { least: 0, most: Math.max(1, availableParallelism() - 1), mayWait: MAY_WAIT },
  );
  const underWay = new Set<string>();
  const closing = new AbortController();
  const runTask = async (task: CompareTask | WhatIfTask, signal: AbortSignal) => {
    if (threads.waiting() >= MAY_WAIT) throw new AppError('unavailable');
    return threads.run(task, { signal });
  };
  return {
    /**
     * Runs a calculation of an account. Throws 429 if another calculation of the account is running, and 503 if the calculation takes too
     * long, too many tasks wait, or the calculator closes.
     */
    async run<T>(accountId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (underWay.has(accountId))
        throw new AppError('calculationUnderWay', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      underWay.add(accountId);
      const signal = AbortSignal.any([AbortSignal.timeout(limitMs), closing.signal]);
      // The account may start another calculation only when all database statements of the running one have ended.
      const done = work(signal).finally(() => underWay.delete(accountId));
      try {
        return await Promise.race([done, rejectWhenAborted(signal)]);
      } catch (error) {
        throw signal.aborted ? new AppError('unavailable') : error;
      }
    },
    compare: (task: Omit<CompareTask, 'ask'>, signal: AbortSignal) =>
      runTask({ ...task, ask: 'compare' }, signal) as Promise<(Cost | null)[]>,
    whatIf: (task: Omit<WhatIfTask, 'ask'>, signal: AbortSignal) =>
      runTask({ ...task, ask: 'what if' }, signal) as Promise<WhatIfResult>,
    close(): Promise<void> {
      closing.abort();
      return threads.close();
    },
  };
}

export type Calculator = ReturnType<typeof createCalculator>;

const rejectWhenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
