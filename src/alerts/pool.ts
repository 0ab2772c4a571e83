import { availableParallelism } from 'node:os';
import { hasLittleMemory } from '#src/core/memory.ts';
import { createThreads } from '#src/core/threads.ts';
import type { EvaluationTask } from './evaluate.task.ts';
import {
  type CandidateArrays,
  type ChangeArrays,
  findCandidatePeriods,
  findTotalsAboveThresholds,
  type RuleArrays,
  type TotalArrays,
} from './evaluate.ts';

/** Evaluates alerts. */
export interface Evaluator {
  candidates(rules: RuleArrays, zones: string[], changes: ChangeArrays, nowMs: number): Promise<CandidateArrays>;
  /** Returns the indexes of the totals that are above their thresholds. */
  above(totals: TotalArrays): Promise<Uint32Array>;
  /** Number of batches that should be evaluated concurrently. */
  lanes: number;
  /** Returns the number of tasks that wait for a thread. */
  waiting(): number;
  close(): Promise<void>;
}

/** Evaluates in the caller's thread: one home has few alerts, and a worker thread takes 20 MB. */
const WITHOUT_THREADS: Evaluator = {
  candidates: async (...batch) => findCandidatePeriods(...batch),
  above: async (totals) => findTotalsAboveThresholds(totals),
  lanes: 1,
  waiting: () => 0,
  close: async () => {},
};

/**
 * Starts worker threads that evaluate alerts: by default one fewer than there are processors, because the event loop needs one. With little
 * memory there are none. If a task crashes its thread, only that task fails: its transaction is rolled back, and the batch is evaluated
 * again.
 */
export function startEvaluator(threads: number = Math.max(1, availableParallelism() - 1)): Evaluator {
  if (hasLittleMemory()) return WITHOUT_THREADS;
  const pool = createThreads<EvaluationTask, CandidateArrays | Uint32Array>(
    new URL('./evaluate.task.ts', import.meta.url),
    // Each of the concurrent batches waits for its task before it submits another, so the queue cannot grow longer.
    { least: 1, most: threads, mayWait: 2 * threads },
  );
  const run = (task: EvaluationTask, arrays: { buffer: ArrayBufferLike }[]) =>
    pool.run(task, { moved: arrays.map(({ buffer }) => buffer) });
  return {
    candidates: (rules, zones, changes, nowMs) =>
      run({ ask: 'candidates', rules, zones, changes, nowMs }, [
        rules.kind,
        rules.zone,
        rules.user,
        changes.user,
        changes.hourMs,
      ]) as Promise<CandidateArrays>,
    above: (totals) => run({ ask: 'above', totals }, Object.values(totals)) as Promise<Uint32Array>,
    lanes: threads,
    waiting: pool.waiting,
    close: pool.close,
  };
}
