import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Task } from './evaluate.task.ts';
import type { Candidates, Changes, Rules, Totals } from './evaluate.ts';

/** Evaluation in worker threads. */
export interface Evaluator {
  candidates(rules: Rules, zones: string[], changes: Changes, nowMs: number): Promise<Candidates>;
  /** Indexes of the totals that lie above their thresholds. */
  above(totals: Totals): Promise<Uint32Array>;
  /** How many batches are worth evaluating at once. */
  lanes: number;
  /** Tasks that wait for a thread. */
  waiting(): number;
  close(): Promise<void>;
}

const IDLE_MS = 30_000;

/**
 * Worker threads that evaluate alerts: one for each processor that the event loop does not need. If a task crashes its
 * thread, only that task fails: its batch is rolled back with its transaction, and taken again.
 */
export function startEvaluator(threads: number = Math.max(1, availableParallelism() - 1)): Evaluator {
  const pool = new Piscina<Task, Candidates | Uint32Array>({
    filename: new URL('./evaluate.task.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    // Each lane waits for its task before it asks again: more than that cannot wait.
    maxQueue: 2 * threads,
  });
  const run = (task: Task, arrays: { buffer: ArrayBufferLike }[]) =>
    pool.run(task, { transferList: arrays.map(({ buffer }) => buffer as ArrayBuffer) });
  return {
    candidates: (rules, zones, changes, nowMs) =>
      run({ ask: 'candidates', rules, zones, changes, nowMs }, [
        rules.kind,
        rules.zone,
        rules.user,
        changes.user,
        changes.hourMs,
      ]) as Promise<Candidates>,
    above: (totals) => run({ ask: 'above', totals }, Object.values(totals)) as Promise<Uint32Array>,
    lanes: threads,
    waiting: () => pool.queueSize,
    close: () => pool.close({ force: true }),
  };
}
