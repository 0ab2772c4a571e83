import { move, transferableSymbol, valueSymbol } from 'piscina';
import { above, type Candidates, type Changes, candidates, type Rules, type Totals } from './evaluate.ts';

export type Task =
  | { ask: 'candidates'; rules: Rules; zones: string[]; changes: Changes; nowMs: number }
  | { ask: 'above'; totals: Totals };

/** Entry point of a worker thread: receives a task and returns typed arrays, which are transferred instead of copied. */
export default function evaluate(task: Task): unknown {
  if (task.ask === 'above') {
    const fired = above(task.totals);
    return handedOver(fired, [fired]);
  }
  const found: Candidates = candidates(task.rules, task.zones, task.changes, task.nowMs);
  return handedOver(found, [found.rule, found.startMs, found.endMs]);
}

/** Makes piscina transfer the memory of the arrays instead of copying it. */
const handedOver = (value: object, arrays: { buffer: ArrayBufferLike }[]) =>
  move({ [transferableSymbol]: arrays.map(({ buffer }) => buffer), [valueSymbol]: value } as never);
