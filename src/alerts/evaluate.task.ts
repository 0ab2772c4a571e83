import { markResultForTransfer } from '#src/core/threads.ts';
import { findCandidatePeriods } from './evaluate.ts';

export type EvaluationTask = Parameters<typeof findCandidatePeriods>;

/** Entry point of a worker thread: receives a task and returns typed arrays, which are transferred instead of copied. */
export default function evaluate(task: EvaluationTask): unknown {
  const found = findCandidatePeriods(...task);
  return markResultForTransfer(found, [found.rule, found.startMs, found.endMs]);
}
