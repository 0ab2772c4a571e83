import { transferResult } from '#src/core/threads.ts';
import {
  type CandidateArrays,
  type ChangeArrays,
  findCandidatePeriods,
  findTotalsAboveThresholds,
  type RuleArrays,
  type TotalArrays,
} from './evaluate.ts';

export type EvaluationTask =
  | { ask: 'candidates'; rules: RuleArrays; zones: string[]; changes: ChangeArrays; nowMs: number }
  | { ask: 'above'; totals: TotalArrays };

/** Entry point of a worker thread: receives a task and returns typed arrays, which are transferred instead of copied. */
export default function evaluate(task: EvaluationTask): unknown {
  if (task.ask === 'above') {
    const fired = findTotalsAboveThresholds(task.totals);
    return transferResult(fired, [fired]);
  }
  const found: CandidateArrays = findCandidatePeriods(task.rules, task.zones, task.changes, task.nowMs);
  return transferResult(found, [found.rule, found.startMs, found.endMs]);
}
