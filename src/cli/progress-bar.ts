import { SingleBar } from 'cli-progress';
import { escapeForTerminal, escapeLineForTerminal } from '#src/core/output.ts';
import type { MoveCallbacks } from '#src/start/move.ts';

/** Methods of a progress bar that commands call. */
type ProgressBar = Pick<SingleBar, 'start' | 'update' | 'increment' | 'stop'>;

/** Time in ms between two lines of progress, if the output is a file or a pipe. */
const LINE_MS = 5_000;

/**
 * Creates a progress bar on stderr: `label [bar] format`. If stderr is not a terminal, prints a line such as `label: 42 %` every five
 * seconds. If a payload contains `relation` (the name of a table), this name replaces the label.
 */
export const createProgressBar = (label: string, format: string, clearOnComplete = false): ProgressBar =>
  process.stderr.isTTY
    ? new SingleBar({ format: `${label} [{bar}] ${format}`, stream: process.stderr, clearOnComplete })
    : createProgressPrinter(label);

/** Creates a progress reporter that prints lines. The package's own option `noTTYOutput` would also print a line at each start and stop. */
export function createProgressPrinter(label: string, print: (line: string) => void = console.error): ProgressBar {
  let printedMs = Date.now();
  let name = label;
  let done = 0;
  let of = 0;
  const update = (value: unknown) => {
    const nowMs = Date.now();
    if (typeof value === 'number') done = value;
    if (nowMs - printedMs < LINE_MS) return;
    printedMs = nowMs;
    print(escapeLineForTerminal(`${name}: ${of > 0 ? Math.floor((100 * done) / of) : 0} %`));
  };
  return {
    start(total, _value, payload?: { relation?: string }) {
      name = payload?.relation ?? label;
      done = 0;
      of = total;
    },
    update,
    increment: (step: unknown = 1) => update(done + Number(step)),
    stop() {},
  };
}

/** Runs work that reports its steps and the progress of each table (relation). Steps are printed only on a terminal. */
export async function withProgress<T>(work: (steps: MoveCallbacks) => Promise<T>): Promise<T> {
  const bar = createProgressBar('{relation}', '{percentage}%', true);
  let shown = '';
  const hide = () => {
    shown = '';
    bar.stop();
  };
  try {
    return await work({
      step(text) {
        hide();
        if (process.stderr.isTTY) console.error(escapeForTerminal(text));
      },
      progress(relation, done, total) {
        if (relation !== shown) bar.start(1_000, 0, { relation });
        shown = relation;
        bar.update(Math.round((1_000 * done) / total));
      },
    });
  } finally {
    hide();
  }
}
