import { SingleBar } from 'cli-progress';
import { escapeForTerminal } from '#src/core/output.ts';
import type { MoveSteps } from '#src/start/move.ts';

/** Creates a progress bar, which is shown on a terminal only, not in a pipe. */
export const createBar = (format: string, clearOnComplete = false): SingleBar =>
  new SingleBar({ format, stream: process.stderr, clearOnComplete });

/** Runs work that reports its steps and the progress of relations; both are shown on a terminal only. */
export async function withProgress<T>(work: (steps: MoveSteps) => Promise<T>): Promise<T> {
  const bar = createBar('{relation} [{bar}] {percentage}%', true);
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
