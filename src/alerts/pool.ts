import { availableParallelism } from 'node:os';
import { hasLittleMemory } from '#src/core/memory.ts';
import { createThreadPool } from '#src/core/threads.ts';
import type { EvaluationTask } from './evaluate.task.ts';
import { type CandidatePeriodArrays, findCandidatePeriods } from './evaluate.ts';

export interface AlertEvaluator {
  candidates(...batch: EvaluationTask): Promise<CandidatePeriodArrays>;
  /** Number of batches that the caller should evaluate at the same time. */
  lanes: number;
  /** Returns the number of tasks that wait for a thread. */
  waiting(): number;
  close(): Promise<void>;
}

/** Evaluates alerts in the caller's thread. Used on machines that have too little memory for a worker thread (20 MB). */
const WITHOUT_THREADS: AlertEvaluator = {
  candidates: async (...batch) => findCandidatePeriods(...batch),
  lanes: 1,
  waiting: () => 0,
  close: async () => {},
};

/**
 * Starts worker threads that evaluate alerts. The default is one fewer than the number of processors, because the event loop
 * needs one. On a machine with little memory, starts no threads. If a thread crashes, its batch is evaluated again.
 */
export function startAlertEvaluator(threads: number = Math.max(1, availableParallelism() - 1)): AlertEvaluator {
  if (hasLittleMemory()) return WITHOUT_THREADS;
  const pool = createThreadPool<EvaluationTask, CandidatePeriodArrays>(
    new URL('./evaluate.task.ts', import.meta.url),
    // The queue is never longer than `mayWait`, because each batch that is evaluated has at most one task in it.
    { least: 1, most: threads, mayWait: 2 * threads },
  );
  return {
    candidates: (rules, zones, changes, nowMs) => {
      const arrays = [rules.kind, rules.zone, rules.user, changes.user, changes.hourMs];
      return pool.run([rules, zones, changes, nowMs], { moved: arrays.map(({ buffer }) => buffer) });
    },
    lanes: threads,
    waiting: pool.waiting,
    close: pool.close,
  };
}
