import { schedule } from 'node-cron';
import { inSpan } from '#src/core/tracing.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { type LockSession, withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { type Job, type JobParts, TAKEN } from './jobs.ts';

const DONE = 'done';
/** When a job is tried again that another worker is at: whoever is at it may be killed. */
const AGAIN_MS = 3_000;

/**
 * Runs the jobs that the database is able to do at their times, none beside itself; one that fails is logged and comes again.
 * Returns the names of those that it runs, and how to stop: no job begins any more, and those under way are told, and waited for.
 */
export function startJobs(jobs: readonly Job[], parts: JobParts): { names: string[]; stop(): Promise<void> } {
  const { pool, log, capabilities } = parts;
  const stopping = new AbortController();
  const underWay = new Map<Job, Promise<void>>();
  const later = new Map<Job, NodeJS.Timeout>();

  async function work(job: Job): Promise<void> {
    const { name, lock, run } = job;
    const once = async (session?: LockSession, lost?: AbortSignal) => {
      const signal = AbortSignal.any([stopping.signal, ...(lost ? [lost] : [])]);
      return (await run(parts, signal, session)) === TAKEN ? TAKEN : DONE;
    };
    try {
      await inSpan(`job ${name}`, {}, async () => {
        const done = lock ? await withExclusiveLock(pool, ADVISORY_LOCKS[lock], once) : await once();
        if (done !== DONE && job.whenTaken === 'again') later.set(job, setTimeout(begin, AGAIN_MS, job).unref());
      });
    } catch (error) {
      log.error({ err: error, job: name }, 'job failed');
    }
  }
  function begin(job: Job): void {
    clearTimeout(later.get(job));
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
      for (const timer of later.values()) clearTimeout(timer);
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.all(underWay.values());
    },
  };
}
