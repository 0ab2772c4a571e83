import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { DATABASE_TIERS } from '#src/database/capabilities.ts';
import { createDatabase, createPool } from '#src/database/connect.ts';
import { JOBS } from '#src/jobs/jobs.ts';
import { JOB_RUNNING_IN_OTHER_WORKER, type Job, type JobDependencies, startJobs } from '#src/jobs/schedule.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

/** Interval of a job that is longer than any test. */
const RARELY = { everySeconds: 1_000_000 };
let database: TestDatabase;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => database.drop());

/** Returns the dependencies with which the tests start jobs. They also collect the jobs' log lines. */
function parts(
  given: Partial<JobDependencies> = {},
): JobDependencies & { lines: { job?: string; msg: string; level: number }[] } {
  const lines: { job?: string; msg: string; level: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const { pool } = database;
  const clock = () => new Date();
  const capabilities = DATABASE_TIERS.plain;
  const db = createDatabase(pool);
  const ahead = { daysToPack: 0 };
  return {
    pool,
    db,
    clock,
    ageClock: clock,
    capabilities,
    retentionMonths: 13,
    dataDir: '.',
    backup: null,
    log,
    ahead,
    lines,
    ...given,
  };
}
/**
 * Returns a pool for one job. Also returns a promise that resolves when the job, after its attempt to take the lock, has released its
 * connection.
 */
function pooled() {
  const pool = createPool(database.url, { max: 1 });
  const tried = new Promise<void>((resolve) => pool.once('release', () => resolve()));
  stops.push(() => pool.end());
  return { pool, tried };
}
const job = (run: Job['run'], rest: Partial<Job> = {}): Job => ({
  name: 'a job',
  at: RARELY,
  alsoAtStart: true,
  run,
  ...rest,
});

test('every job has a unique name, and runs', async () => {
  expect(new Set(JOBS.map(({ name }) => name)).size).toBe(JOBS.length);
  const jobParts = parts();
  for (const { name, needs, run } of JOBS)
    if (!needs || jobParts.capabilities[needs])
      await run(jobParts, new AbortController().signal).catch((error) => expect([name, error]).toBeNull());
  const { stop } = startJobs(JOBS, jobParts);
  await stop();
});

test('a job that the database does not support is omitted', async () => {
  const able = parts({ capabilities: DATABASE_TIERS.community });
  const never = JOBS.map((one) => ({ ...one, at: RARELY, alsoAtStart: false }));
  const names = JOBS.map(({ name }) => name);
  for (const [given, expected] of [
    [able, names.filter((name) => name !== 'pack days')],
    [parts(), names.filter((name) => name !== 'rollup refresh')],
  ] as const) {
    const jobs = startJobs(never, given);
    expect(jobs.names).toEqual(expected);
    await jobs.stop();
  }
});

test('a job with a lock runs in one of several workers, and the next time another may run it', async () => {
  const ran: string[] = [];
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const isHeld = async () => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [ADVISORY_LOCKS.rollupCheck],
    );
    return rows.length > 0;
  };
  const first = startJobs([job(async () => void ran.push('first'), { lock: 'rollupCheck' })], parts());
  await expect.poll(() => ran).toEqual(['first']);
  // The job releases its lock shortly after its end.
  await expect.poll(isHeld).toBe(false);
  const holder = startJobs([job(() => ended.then(() => void ran.push('holder')), { lock: 'rollupCheck' })], parts());
  await expect.poll(isHeld).toBe(true);
  const free = startJobs([job(async () => void ran.push('without a lock'))], parts());
  const { pool, tried } = pooled();
  const other = startJobs([job(async () => void ran.push('other'), { lock: 'rollupCheck' })], parts({ pool }));
  await expect.poll(() => ran).toEqual(['first', 'without a lock']);
  await tried;
  expect(ran).toEqual(['first', 'without a lock']);
  end();
  await expect.poll(isHeld).toBe(false);
  expect(ran).toEqual(['first', 'without a lock', 'holder']);
  await Promise.all([first, holder, free, other].map(({ stop }) => stop()));
});

test('a job that another worker runs is retried until it is done or that worker has ended', async () => {
  const ran: string[] = [];
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const started = new Promise<void>((resolve) => {
    const first = job(
      () => {
        resolve();
        return ended;
      },
      { lock: 'historyUpkeep', whenTaken: 'again' },
    );
    stops.push(startJobs([first], parts()).stop);
  });
  await started;
  const next = (name: string, rest: Partial<Job>) => {
    const { pool, tried } = pooled();
    stops.unshift(startJobs([job(async () => void ran.push(name), rest)], parts({ pool })).stop);
    return tried;
  };
  await Promise.all([
    next('again', { lock: 'historyUpkeep', whenTaken: 'again' }),
    next('left out', { lock: 'historyUpkeep' }),
  ]);
  let asked = 0;
  const ownLock = job(async () => (++asked < 2 ? JOB_RUNNING_IN_OTHER_WORKER : ran.push('own lock')), {
    whenTaken: 'again',
  });
  stops.push(startJobs([ownLock], parts()).stop);
  expect(ran).toEqual([]);
  end();
  await expect.poll(() => ran.toSorted()).toEqual(['again', 'own lock']);
});

test('a job does not overlap with itself; a failure is logged, and the job runs again', async () => {
  const given = parts();
  let [running, maxRunning, failures] = [0, 0, 0];
  const slow = job(
    async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      running--;
    },
    { name: 'slow', at: { everySeconds: 1 } },
  );
  const failing = job(
    async () => {
      failures++;
      throw new Error('nothing works');
    },
    { name: 'failing', at: { everySeconds: 1 } },
  );
  const { stop } = startJobs([slow, failing], given);
  await expect.poll(() => failures).toBeGreaterThan(2);
  await stop();
  expect(maxRunning).toBe(1);
  const failed = given.lines.filter(({ msg }) => msg === 'job failed');
  expect(failed.length).toBe(failures);
  expect(failed.every(({ job }) => job === 'failing')).toBe(true);
});

test('a daily job that failed is retried for the same scheduled time until it succeeds', async () => {
  let runs = 0;
  const failing = job(
    async () => {
      if (++runs < 3) throw new Error('no space');
    },
    { name: 'failing daily', at: { daily: '19 4 * * *' }, lock: 'rollupCheck' },
  );
  const given = parts();
  const { stop } = startJobs([failing], given, { failedAgainMs: 50 });
  stops.push(stop);
  const ranFor = async () =>
    (await database.pool.query(`SELECT ran_for FROM daily_runs WHERE job = 'failing daily'`)).rows.length;
  await expect.poll(ranFor).toBe(1);
  expect(runs).toBe(3);
  expect(given.lines.filter(({ msg }) => msg === 'job failed')).toHaveLength(2);
});

test('a stop waits for running jobs, signals them, and starts none', async () => {
  const given = parts();
  const did: string[] = [];
  const long = job(async (_, stopping) => {
    did.push('begun');
    while (!stopping.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
    await database.pool.query('SELECT pg_sleep(0.3)');
    did.push('ended');
  });
  const often = job(async () => void did.push('often'), { at: { everySeconds: 1 }, alsoAtStart: false });
  const { stop } = startJobs([long, often], given);
  await expect.poll(() => did).toContain('often');
  await stop();
  expect(did[0]).toBe('begun');
  expect(did.at(-1)).toBe('ended');
  const { length } = did;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(did).toHaveLength(length);
  expect(given.lines).toEqual([]);
});
