import { createTask, type ScheduledTask } from 'node-cron';
import type { BackupPlan } from '#src/backup/plan.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Logger } from '#src/core/log.ts';
import { runInSpan } from '#src/core/tracing.ts';
import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Database, Pool } from '#src/database/connect.ts';
import { type LockSession, withExclusiveLock } from '#src/database/exclusive-lock.ts';

const DONE = 'done';
/**
 * Delay in ms before a worker retries a job whose lock another worker holds. The other worker may be killed before it completes the job.
 */
const AGAIN_MS = 3_000;
/** Delay in ms before a failed daily job runs again, because many causes, such as a failover, end within an hour. */
const FAILED_AGAIN_MS = 10 * MINUTE_MS;
/** Interval in ms (monotonic clock) at which the schedule looks for due jobs. */
const LOOK_MS = 500;

interface IntervalPlan {
  job: Job;
  everyMs: number;
  /** Time of the job's next run, in ms of the monotonic clock. */
  nextMs: number;
}

interface DailyPlan {
  job: Job;
  /**
   * This task only matches times with a cron expression and is never started. The library's own timer stops when the clock is set
   * back.
   */
  task: ScheduledTask;
  latest: LatestDueTime;
  /** The daily time (Unix ms) that this process checked last; null before the first check. */
  lookedAtMs: number | null;
}

/**
 * Runs jobs at their times, if the database has the required capabilities. A failed job runs again at its next time. A failed daily job
 * also runs again after ten minutes. If a daily job was missed, it runs once. Intervals are measured by the monotonic clock. Returns the
 * names of the jobs, and a function that stops them.
 */
export function startJobs(
  jobs: readonly Job[],
  parts: JobDependencies,
  {
    monotonicMs = () => performance.now(),
    failedAgainMs = FAILED_AGAIN_MS,
  }: { monotonicMs?: () => number; failedAgainMs?: number } = {},
): { names: string[]; stop(): Promise<void> } {
  const { clock, log, capabilities } = parts;
  const wanted = jobs.filter(
    ({ needs, unless }) =>
      (needs === undefined || capabilities[needs]) && (unless === undefined || !capabilities[unless]),
  );
  const runner = new JobRunner(parts, failedAgainMs);
  const timetable = new Timetable(wanted, runner, { clock, monotonicMs });
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= timetable
      .look(parts.pool)
      .catch((error) => log.warn({ err: error }, 'times of daily jobs not read'))
      .finally(() => {
        looking = null;
      });
  }, LOOK_MS);
  return {
    names: wanted.map(({ name }) => name),
    async stop() {
      runner.close();
      clearInterval(timer);
      await looking;
      await timetable.destroy();
      await runner.finished();
    },
  };
}

/** Runs jobs. A job does not start while it is running. */
class JobRunner {
  readonly #parts: JobDependencies;
  readonly #failedAgainMs: number;
  readonly #stopping = new AbortController();
  readonly #underWay = new Map<Job, Promise<void>>();
  readonly #later = new Map<Job, NodeJS.Timeout>();

  constructor(parts: JobDependencies, failedAgainMs: number) {
    this.#parts = parts;
    this.#failedAgainMs = failedAgainMs;
  }

  /** Starts a job unless it is running. `dailyMs`: the daily time that is due; null for an interval job. */
  begin(job: Job, dailyMs: number | null = null): void {
    clearTimeout(this.#later.get(job));
    if (this.#stopping.signal.aborted || this.#underWay.has(job)) return;
    this.#underWay.set(
      job,
      this.#work(job, dailyMs).finally(() => this.#underWay.delete(job)),
    );
  }

  /** Starts no further jobs, and aborts running jobs. */
  close(): void {
    this.#stopping.abort();
    for (const pending of this.#later.values()) clearTimeout(pending);
  }

  async finished(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #work(job: Job, dailyMs: number | null): Promise<void> {
    const { name, lock, run } = job;
    const { pool, log } = this.#parts;
    const once = async (session?: LockSession, lost?: AbortSignal) => {
      const signal = AbortSignal.any([this.#stopping.signal, ...(lost ? [lost] : [])]);
      // Another worker may have completed the daily run before this worker took the lock.
      if (lock && dailyMs !== null && !job.alsoAtStart && !(await isStillDue(pool, name, dailyMs))) return DONE;
      if ((await run(this.#parts, signal, session)) === JOB_RUNNING_IN_OTHER_WORKER) return JOB_RUNNING_IN_OTHER_WORKER;
      if (dailyMs !== null && !signal.aborted) await noteDaily(pool, name, dailyMs);
      return DONE;
    };
    try {
      await runInSpan(`job ${name}`, {}, async () => {
        const done = lock ? await withExclusiveLock(pool, ADVISORY_LOCKS[lock], once) : await once();
        if (done !== DONE && job.whenTaken === 'again') this.#runLater(job, dailyMs, AGAIN_MS);
      });
    } catch (error) {
      log.error({ err: error, job: name }, 'job failed');
      if (dailyMs !== null) this.#runLater(job, dailyMs, this.#failedAgainMs);
    }
  }

  #runLater(job: Job, dailyMs: number | null, inMs: number): void {
    if (!this.#stopping.signal.aborted) this.#later.set(job, setTimeout(() => this.begin(job, dailyMs), inMs).unref());
  }
}

/** Computes when jobs are due: intervals by the monotonic clock, daily times by the wall clock. */
class Timetable {
  readonly #intervals: IntervalPlan[] = [];
  readonly #daily: DailyPlan[] = [];
  readonly #runner: JobRunner;
  readonly #clock: Clock;
  readonly #monotonicMs: () => number;

  /** Plans all jobs, and starts those that also run at the start of the process. */
  constructor(
    jobs: readonly Job[],
    runner: JobRunner,
    { clock, monotonicMs }: { clock: Clock; monotonicMs: () => number },
  ) {
    this.#runner = runner;
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
    const startMs = monotonicMs();
    for (const [index, job] of jobs.entries()) {
      const { at, alsoAtStart } = job;
      if ('daily' in at) {
        const task = createTask(at.daily, () => {}, { name: job.name, timezone: 'UTC' });
        const latest = findLatestDueMinute((minute) => task.match(minute), clock().getTime());
        this.#daily.push({ job, task, latest, lookedAtMs: alsoAtStart ? latest.latestMs : null });
        if (alsoAtStart) runner.begin(job, latest.latestMs);
      } else {
        const everyMs = at.everySeconds * 1_000;
        const firstMs = computeFirstRunDelayMs(everyMs, { index, of: jobs.length }) + (alsoAtStart ? everyMs : 0);
        this.#intervals.push({ job, everyMs, nextMs: startMs + firstMs });
        if (alsoAtStart) runner.begin(job);
      }
    }
  }

  /** Starts the jobs that are due. */
  async look(pool: Pool): Promise<void> {
    const nowMs = this.#monotonicMs();
    for (const plan of this.#intervals) {
      if (plan.nextMs > nowMs) continue;
      plan.nextMs = nowMs + plan.everyMs;
      this.#runner.begin(plan.job);
    }
    const wallMs = this.#clock().getTime();
    for (const plan of this.#daily)
      plan.latest = findLatestDueMinute((minute) => plan.task.match(minute), wallMs, plan.latest);
    const passed = this.#daily.filter(({ latest, lookedAtMs }) => lookedAtMs !== latest.latestMs);
    if (passed.length === 0) return;
    const times = passed.map(({ job, latest }) => ({ name: job.name, latestMs: latest.latestMs }));
    const ranFor = await readDaily(pool, times);
    for (const plan of passed) {
      const { job } = plan;
      const { latestMs } = plan.latest;
      plan.lookedAtMs = latestMs;
      if (isDailyJobDue(latestMs, ranFor.get(job.name) ?? latestMs)) this.#runner.begin(job, latestMs);
    }
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#daily.map(({ task }) => task.destroy()));
  }
}

/**
 * Returns the daily times (Unix ms) of the jobs' last runs, by name. Creates a row for each job that is new to this installation.
 */
async function readDaily(
  pool: Pool,
  jobs: readonly { name: string; latestMs: number }[],
): Promise<ReadonlyMap<string, number>> {
  // Raw SQL in this file: no other file uses its relation, so the relation is not declared for typed queries.
  await pool.query(
    'INSERT INTO daily_runs SELECT * FROM unnest($1::text[], $2::timestamptz[]) ON CONFLICT DO NOTHING',
    [jobs.map(({ name }) => name), jobs.map(({ latestMs }) => new Date(latestMs))],
  );
  const { rows } = await pool.query<{ job: string; ran_for: Date }>('SELECT job, ran_for FROM daily_runs');
  return new Map(rows.map(({ job, ran_for }) => [job, ran_for.getTime()]));
}

/** Whether a daily job must still run for this daily time, because no worker has run it. */
async function isStillDue(pool: Pool, name: string, dailyMs: number): Promise<boolean> {
  const { rows } = await pool.query<{ ran_for: Date }>('SELECT ran_for FROM daily_runs WHERE job = $1', [name]);
  return rows[0] === undefined || isDailyJobDue(dailyMs, rows[0].ran_for.getTime());
}

async function noteDaily(pool: Pool, name: string, dailyMs: number): Promise<void> {
  await pool.query(
    'INSERT INTO daily_runs VALUES ($1, $2) ON CONFLICT (job) DO UPDATE SET ran_for = excluded.ran_for',
    [name, new Date(dailyMs)],
  );
}

/**
 * Timing of a job. `everySeconds`: an interval, separate in each worker. `daily`: a cron expression (UTC) that matches at least
 * once a day; a missed run is started later.
 */
type Timing = { everySeconds: number } | { daily: string };

/** Maximum time in ms over which the first runs of interval jobs are spread. */
const SPREAD_MS = 10 * 60_000;

/** `latestMs`: the latest daily time of a job up to the minute `minuteMs`. Both are Unix ms. */
export interface LatestDueTime {
  minuteMs: number;
  latestMs: number;
}

/**
 * Returns the latest minute within the last day that a cron expression matches. `known`: the previous result, which saves time.
 * Throws if no minute of the day matches.
 */
export function findLatestDueMinute(
  matches: (minute: Date) => boolean,
  nowMs: number,
  known: LatestDueTime | null = null,
): LatestDueTime {
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const isLater = known !== null && known.minuteMs <= minuteMs && minuteMs - known.minuteMs < DAY_MS;
  const fromMs = isLater ? known.minuteMs + MINUTE_MS : minuteMs - DAY_MS + MINUTE_MS;
  for (let atMs = minuteMs; atMs >= fromMs; atMs -= MINUTE_MS)
    if (matches(new Date(atMs))) return { minuteMs, latestMs: atMs };
  if (!isLater) throw new Error('a daily job whose time does not come within a day');
  return { minuteMs, latestMs: known.latestMs };
}

/**
 * Whether a daily job is due. Times are Unix ms. `ranForMs`: the daily time of the last run. A `ranForMs` more than a day in the
 * future comes from a wrong clock and is ignored.
 */
export const isDailyJobDue = (latestMs: number, ranForMs: number): boolean =>
  ranForMs < latestMs || ranForMs > latestMs + DAY_MS;

/** Returns the delay in ms of an interval job's first run. Delays differ, so that jobs do not all start together. */
export const computeFirstRunDelayMs = (everyMs: number, place: { index: number; of: number }): number =>
  Math.round((Math.min(everyMs, SPREAD_MS) * (place.index + 1)) / place.of);

export interface JobDependencies {
  pool: Pool;
  db: Database;
  clock: Clock;
  /** Clock for every job that deletes data by age, because this machine's clock may be wrong (src/database/believed-time.ts). */
  ageClock: Clock;
  capabilities: Capabilities;
  retentionMonths: number;
  dataDir: string;
  /** Plan for backups of the embedded database; null with another database. */
  backup: BackupPlan | null;
  log: Logger;
  /** Remaining work of jobs that may take hours, for the metrics. */
  ahead: { daysToPack: number };
}

/** Result of a job's run if another worker is running the job. */
export const JOB_RUNNING_IN_OTHER_WORKER = 'taken';

/** A task that a worker runs at scheduled times. */
export interface Job {
  name: string;
  at: Timing;
  /** Whether the job also runs once at the start of the process. */
  alsoAtStart?: boolean;
  /** Advisory lock that is held while the job runs, so that only one worker runs it. Without a lock, each worker runs the job. */
  lock?: keyof typeof ADVISORY_LOCKS;
  /**
   * Behaviour while another worker holds the lock. `again`: the worker retries until it gets the lock. Otherwise the worker skips
   * the job until its next time.
   */
  whenTaken?: 'again';
  /** Capability that the database must have; without it the job is not scheduled. */
  needs?: keyof Capabilities;
  /** Capability of the database that makes the job unnecessary. */
  unless?: keyof Capabilities;
  /**
   * Runs the job. `stopping` aborts if the worker stops or has lost the lock; a long job must then end after its current step.
   * `session`: the database session that holds the job's lock. Returns JOB_RUNNING_IN_OTHER_WORKER if the job takes a lock itself and
   * another worker holds it.
   */
  run(parts: JobDependencies, stopping: AbortSignal, session?: LockSession): Promise<unknown>;
}
