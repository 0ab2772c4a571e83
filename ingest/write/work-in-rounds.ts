import { clusters } from './clusters.ts';
import type { NewPoint } from './collect.ts';
import { noReadingChanges, type ReadingStore } from './reading-store.ts';
import type { LockedDevice, Series } from './series-store.ts';
import { append, followsTail, isComputedAnew, type Outcome, workIn } from './work-in.ts';

/** Readings beyond the last change that are looked at first; nearly always one suffices for the runs to meet. */
const FIRST_LOOK = 16;

interface Task {
  series: Series;
  device: LockedDevice;
  runs: NewPoint[][];
}

interface Late {
  task: Task;
  points: NewPoint[];
  firstMs: number;
  lastMs: number;
}

/**
 * Works the new points of many series into what is stored, run by run (a run is a cluster of points close in time),
 * all series side by side, so that the number of statements does not grow with the number of series.
 */
export async function workInRounds(
  readings: ReadingStore,
  work: readonly { series: Series; device: LockedDevice; points: NewPoint[] }[],
  outcome: Outcome,
): Promise<void> {
  let tasks: Task[] = work.map(({ series, device, points }) => ({
    series,
    device,
    runs: wholeAtOnce(series) ? [points] : clusters(points, series.lastReadAtMs),
  }));
  while (tasks.length > 0) {
    const late: Late[] = [];
    for (const task of tasks) {
      const points = task.runs.shift() ?? [];
      if (wholeAtOnce(task.series)) {
        late.push({ task, points, firstMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY });
      } else if (followsTail(task.series, points)) {
        append(task.series, task.device, points, outcome);
        task.series.rolesBefore = task.series.roles;
      } else {
        const [first, last] = [points[0] as NewPoint, points.at(-1) as NewPoint];
        late.push({ task, points, firstMs: first.readAtMs, lastMs: last.readAtMs });
      }
    }
    await workInLate(readings, late, outcome);
    await readings.save(outcome.changes);
    outcome.changes = noReadingChanges();
    tasks = tasks.filter((task) => task.runs.length > 0);
  }
}

const wholeAtOnce = (series: Series): boolean => isComputedAnew(series) && series.lastReadAtMs !== null;

async function workInLate(readings: ReadingStore, late: Late[], outcome: Outcome): Promise<void> {
  let open = late;
  for (let beyond = FIRST_LOOK; open.length > 0; beyond *= 16) {
    const stretches = await readings.load(
      open.map(({ task, firstMs, lastMs }) => ({ seriesId: task.series.seriesId, firstMs, lastMs })),
      beyond,
    );
    open = open.filter(({ task, points }, index) => {
      const stretch = stretches[index];
      return !stretch || !workIn(task.series, task.device, points, stretch, outcome);
    });
  }
}
