import { move, transferableSymbol, valueSymbol } from 'piscina';
import { above, type Candidates, type Changes, candidates, type Rules, type Totals } from './evaluate.ts';

/** What a thread is asked. */
export type Task =
  | { ask: 'candidates'; rules: Rules; zones: string[]; changes: Changes; nowMs: number }
  | { ask: 'above'; totals: Totals };

/** The door of a thread: a task in, typed arrays out, handed over and not copied. */
export default function evaluate(task: Task): unknown {
  if (task.ask === 'above') {
    const fired = above(task.totals);
    return handedOver(fired, [fired]);
  }
  const found: Candidates = candidates(task.rules, task.zones, task.changes, task.nowMs);
  return handedOver(found, [found.rule, found.startMs, found.endMs]);
}

/** What piscina posts back with the arrays' memory moved. */
const handedOver = (value: object, arrays: { buffer: ArrayBufferLike }[]) =>
  move({ [transferableSymbol]: arrays.map(({ buffer }) => buffer), [valueSymbol]: value } as never);
