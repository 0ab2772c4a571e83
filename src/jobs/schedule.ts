import { schedule } from 'node-cron';
import { inSpan } from '#src/core/tracing.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { withExclusiveLock } from '#src/database/transaction.ts';
import type { Job, JobParts } from './jobs.ts';

/**
 * Runs the jobs that the database is able to do at their times, none beside itself; one that fails is logged and comes again.
 * Returns the names of those that it runs, and how to stop.
 */
export function startJobs(jobs: readonly Job[], parts: JobParts): { names: string[]; stop(): Promise<void> } {
  const { pool, log, capabilities } = parts;
  const guarded = ({ name, lock, run }: Job) => {
    let isRunning = false;
    const work = () => run(parts);
    return async () => {
      if (isRunning) return;
      isRunning = true;
      try {
        await inSpan(`job ${name}`, {}, async () => {
          await (lock ? withExclusiveLock(pool, ADVISORY_LOCKS[lock], work) : work());
        });
      } catch (error) {
        log.error({ err: error, job: name }, 'job failed');
      } finally {
        isRunning = false;
      }
    };
  };
  const wanted = jobs.filter(({ needs }) => needs === undefined || capabilities[needs]);
  const tasks = wanted.map((job) => {
    const run = guarded(job);
    if (job.alsoAtStart) void run();
    return schedule(job.at, run, { name: job.name, timezone: 'UTC' });
  });
  return {
    names: wanted.map(({ name }) => name),
    async stop() {
      await Promise.all(tasks.map((task) => task.destroy()));
    },
  };
}
