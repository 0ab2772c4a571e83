import { move } from 'piscina';
import { above, type Candidates, type Changes, candidates, type Rules, type Totals } from './evaluate.ts';

/** What a thread is asked. */
export type Task =
  | { ask: 'candidates'; rules: Rules; zones: string[]; changes: Changes; nowMs: number }
  | { ask: 'above'; totals: Totals };

/** The door of a thread: a task in, typed arrays out, handed over and not copied. */
export default function evaluate(task: Task): Candidates | Uint32Array {
  if (task.ask === 'above') return move(above(task.totals)) as Uint32Array;
  const { rule, startMs, endMs } = candidates(task.rules, task.zones, task.changes, task.nowMs);
  return { rule: move(rule), startMs: move(startMs), endMs: move(endMs) } as Candidates;
}
