import { SingleBar } from 'cli-progress';

/** Returns a progress bar that is shown on a terminal only, not in a pipe. */
export function progressBar(): { update(relation: string, done: number, total: number): void; stop(): void } {
  const bar = new SingleBar({
    format: '{relation} [{bar}] {percentage}%',
    stream: process.stderr,
    clearOnComplete: true,
  });
  let relation = '';
  return {
    update(next, done, total) {
      if (!process.stderr.isTTY) return;
      if (next !== relation) bar.start(1_000, 0, { relation: next });
      relation = next;
      bar.update(Math.round((1_000 * done) / total));
    },
    stop() {
      relation = '';
      bar.stop();
    },
  };
}
