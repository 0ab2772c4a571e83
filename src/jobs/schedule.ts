import { schedule } from 'node-cron';
import type { Logger } from '#src/core/log.ts';

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
  const guarded = (job: Job) => async () => {
    try {
      await job.run();
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed');
    }
  };
  const tasks = jobs.map((job) => {
    if (job.alsoAtStart) void guarded(job)();
    return schedule(job.at, guarded(job), { name: job.name, timezone: 'UTC', noOverlap: true });
  });
  return async () => {
    await Promise.all(tasks.map((task) => task.destroy()));
  };
}
