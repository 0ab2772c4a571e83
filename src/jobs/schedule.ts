import { schedule } from 'node-cron';
import { inSpan } from '#src/core/tracing.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { withExclusiveLock } from '#src/database/transaction.ts';
import type { Job, JobParts } from './jobs.ts';

/**
 * Runs the jobs that the database is able to do at their times, none beside itself; one that fails is logged and comes again.
 * Returns the names of those that it runs, and how to stop: no job begins any more, and those under way are told, and waited for.
 */
export function startJobs(jobs: readonly Job[], parts: JobParts): { names: string[]; stop(): Promise<void> } {
  const { pool, log, capabilities } = parts;
  const stopping = new AbortController();
  const underWay = new Map<Job, Promise<void>>();

  async function work({ name, lock, run }: Job): Promise<void> {
    const once = () => run(parts, stopping.signal);
    try {
      await inSpan(`job ${name}`, {}, async () => {
        await (lock ? withExclusiveLock(pool, ADVISORY_LOCKS[lock], once) : once());
      });
    } catch (error) {
      log.error({ err: error, job: name }, 'job failed');
    }
  }
  function begin(job: Job): void {
    if (stopping.signal.aborted || underWay.has(job)) return;
    underWay.set(
      job,
      work(job).finally(() => underWay.delete(job)),
    );
  }

  const wanted = jobs.filter(
    ({ needs, unless }) =>
      (needs === undefined || capabilities[needs]) && (unless === undefined || !capabilities[unless]),
  );
  const tasks = wanted.map((job) => {
    if (job.alsoAtStart) begin(job);
    return schedule(job.at, () => begin(job), { name: job.name, timezone: 'UTC' });
  });
  return {
    names: wanted.map(({ name }) => name),
    async stop() {
      stopping.abort();
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.all(underWay.values());
    },
  };
}
