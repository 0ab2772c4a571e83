import { schedule } from 'node-cron';
import type { Logger } from '#src/core/log.ts';
import { inSpan } from '#src/core/tracing.ts';

/** Something done at set times. */
export interface Job {
  name: string;
  /** Cron expression, UTC. */
  at: string;
  /** Whether it runs once at the start, too. */
  alsoAtStart: boolean;
  run(): Promise<void>;
}

/** Runs jobs at their times, none beside itself; a job that fails is logged and comes again. Returns how to stop. */
export function startJobs(jobs: readonly Job[], log: Logger): () => Promise<void> {
  const guarded = (job: Job) => {
    let isRunning = false;
    return async () => {
      if (isRunning) return;
      isRunning = true;
      try {
        await inSpan(`job ${job.name}`, {}, job.run);
      } catch (error) {
        log.error({ err: error, job: job.name }, 'job failed');
      } finally {
        isRunning = false;
      }
    };
  };
  const tasks = jobs.map((job) => {
    const run = guarded(job);
    if (job.alsoAtStart) void run();
    return schedule(job.at, run, { name: job.name, timezone: 'UTC' });
  });
  return async () => {
    await Promise.all(tasks.map((task) => task.destroy()));
  };
}
