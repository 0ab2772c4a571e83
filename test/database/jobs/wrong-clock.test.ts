import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { confirmClock, readBelievedTime, startBelievedTimeUpdates } from '#src/database/believed-time.ts';
import { createDatabase } from '#src/database/connect.ts';
import { COPIED_RELATIONS } from '#src/database/copy/relations.ts';
import { writeCapturedMessage } from '#src/delivery/channel.ts';
import { JOBS } from '#src/jobs/jobs.ts';
import { type Job, type JobDependencies, startJobs } from '#src/jobs/schedule.ts';
import { findIdempotentAnswer, storeIdempotentAnswer } from '#src/users/idempotent-answers.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { fillInstallation } from '#test/support/full-installation.ts';
import { createTestMeter } from '#test/support/meters.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';

const DAY_MS = 86_400_000;
/** Clock of a process that is 14 months fast. */
const ahead = () => new Date(Date.now() + 430 * DAY_MS);
const now = () => new Date();
const SILENT = pino({ level: 'silent' });

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'wrong-clock-'));
});
afterAll(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

function parts(given: Partial<JobDependencies>): JobDependencies {
  const { pool, capabilities } = database;
  const base = {
    pool,
    db: createDatabase(pool),
    capabilities,
    retentionMonths: 13,
    dataDir,
    backup: null,
    log: SILENT,
  };
  return { ...base, clock: now, ageClock: now, ahead: { daysToPack: 0 }, ...given };
}

/** Returns the number of rows of every relation that a move copies, except queues, because workers empty them. */
async function rowCounts(): Promise<Record<string, number>> {
  const queues = new Set(['usage_changes', 'usage_untold']);
  const counts: Record<string, number> = {};
  for (const { relation } of COPIED_RELATIONS.filter((one) => !queues.has(one.relation))) {
    const { rows } = await database.pool.query(`SELECT count(*)::int AS count FROM ${relation}`);
    counts[relation] = rows[0].count;
  }
  const { rows } = await database.pool.query(
    `SELECT (SELECT count(*) FROM imports WHERE credentials_sealed IS NOT NULL)::int AS passwords,
       (SELECT count(*) FROM deliveries WHERE status = 'pending')::int AS pending,
       (SELECT count(*) FROM unread_messages WHERE example_payload IS NOT NULL)::int AS examples`,
  );
  const folder = join(dataDir, 'mail');
  await writeCapturedMessage(folder, 'kept', 'a mail');
  return { ...counts, ...rows[0] };
}

const less = (before: Record<string, number>, after: Record<string, number>): string[] =>
  Object.keys(before).filter((name) => (after[name] ?? 0) < (before[name] ?? 0));

const runAll = async (given: Partial<JobDependencies>) => {
  for (const { needs, unless, run } of JOBS) {
    const { capabilities } = database;
    if ((needs && !capabilities[needs]) || (unless && capabilities[unless])) continue;
    await run(parts(given), new AbortController().signal);
  }
};

test('no job deletes data because a clock is 14 months ahead; jobs delete them once the believed time is that far ahead', async () => {
  await fillInstallation(database);
  await database.pool.query("UPDATE imports SET credentials_sealed = 'x'");
  const before = await rowCounts();
  await runAll({ clock: ahead });
  expect(less(before, await rowCounts())).toEqual([]);
  await runAll({ clock: ahead, ageClock: ahead });
  // If the age clock (by which old data is deleted) is wrong, too, each of these relations loses rows. This proves that the counts detect a
  // loss.
  expect(less(before, await rowCounts()).sort()).toEqual(
    expect.arrayContaining([
      'alert_firings',
      'deliveries',
      'departures',
      'departed_messages',
      'events',
      'examples',
      'idempotent_answers',
      'passwords',
      'pending',
      'readings',
      'rejected_messages',
      'sessions',
      'sign_ins',
      'unread_messages',
    ]),
  );
});

test('a start with a clock 14 months ahead does not move the believed time, from which age is computed', async () => {
  const home = await createTestMeter(database);
  await home.read([[new Date(), 1]]);
  const read = async () => (await readBelievedTime(database.pool))?.getTime() ?? 0;
  (await startBelievedTimeUpdates(database.pool, { clock: now, log: SILENT })).stop();
  const rightMs = await read();
  for (let start = 0; start < 20; start++) {
    const wrong = await startBelievedTimeUpdates(database.pool, { clock: ahead, log: SILENT });
    expect(wrong.ageClock().getTime()).toBeLessThan(Date.now() + DAY_MS);
    wrong.stop();
  }
  expect(await read()).toBeLessThan(rightMs + DAY_MS);
  // If both clocks of a process are behind, nothing is deleted too early.
  const behind = () => new Date(Date.now() - 430 * DAY_MS);
  const slow = await startBelievedTimeUpdates(database.pool, { clock: behind, log: SILENT });
  expect(slow.ageClock().getTime()).toBeLessThan(Date.now() - 429 * DAY_MS);
  slow.stop();
  expect(await read()).toBeGreaterThanOrEqual(rightMs);
});

test('an operator can confirm a clock; without one, a process moves the believed time forward by its monotonic clock only', async () => {
  let monoMs = 0;
  const running = await startBelievedTimeUpdates(database.pool, {
    clock: ahead,
    log: SILENT,
    monotonicMs: () => monoMs,
  });
  const startMs = running.nowMs();
  monoMs = 40 * DAY_MS;
  expect(running.nowMs()).toBe(startMs + 40 * DAY_MS);
  running.stop();
  await confirmClock(database.pool, ahead());
  const next = await startBelievedTimeUpdates(database.pool, { clock: ahead, log: SILENT });
  expect(next.nowMs()).toBeGreaterThan(Date.now() + 429 * DAY_MS);
  next.stop();
  await confirmClock(database.pool, now());
});

test('the believed time follows the whole monotonic clock, however slowly the database answers', async () => {
  let monoMs = 0;
  let syncs = 0;
  // Each statement takes four seconds of the monotonic clock.
  const slow = new Proxy(database.pool, {
    get: (pool, name) =>
      name === 'query'
        ? async (...args: unknown[]) => {
            const answer = await Reflect.apply(pool.query, pool, args);
            monoMs += 4_000;
            syncs++;
            return answer;
          }
        : Reflect.get(pool, name),
  });
  const running = await startBelievedTimeUpdates(slow, {
    clock: now,
    log: SILENT,
    monotonicMs: () => monoMs,
    syncMs: 10,
  });
  const [startMs, startMonoMs] = [running.nowMs(), monoMs];
  syncs = 0;
  await expect.poll(() => syncs).toBeGreaterThanOrEqual(20);
  running.stop();
  expect(running.nowMs() - startMs).toBe(monoMs - startMonoMs);
});

test('jobs continue when the clock is set back, and a missed daily job runs once', async () => {
  let wallMs = Date.parse('2026-11-24T12:00:00Z');
  await database.pool.query('DELETE FROM daily_runs');
  const ran: string[] = [];
  const job = (name: string, at: Job['at']): Job => ({
    name,
    at,
    alsoAtStart: false,
    run: async () => void ran.push(name),
  });
  const list = [job('often', { everySeconds: 1 }), job('nightly', { daily: '43 2 * * *' })];
  const started = startJobs(list, parts({ clock: () => new Date(wallMs) }));
  const often = () => ran.filter((name) => name === 'often').length;
  const nightly = () => ran.filter((name) => name === 'nightly').length;
  try {
    await expect.poll(often).toBeGreaterThan(0);
    wallMs -= 7_200_000;
    const count = often();
    await expect.poll(often).toBeGreaterThan(count);
    expect(nightly()).toBe(0);
    // The clock jumps past the time of the nightly job, so the job runs late.
    wallMs = Date.parse('2026-11-25T09:00:00Z');
    await expect.poll(nightly).toBe(1);
    // The clock is set back and passes the time of the nightly job again. The job must not run again.
    wallMs = Date.parse('2026-11-25T01:00:00Z');
    let seen = often();
    await expect.poll(often).toBeGreaterThan(seen + 1);
    wallMs = Date.parse('2026-11-25T03:00:00Z');
    seen = often();
    await expect.poll(often).toBeGreaterThan(seen + 1);
    expect(nightly()).toBe(1);
  } finally {
    await started.stop();
  }
  // The process does not run at the time of the next nightly run. The job runs after the next start.
  wallMs = Date.parse('2026-11-26T12:00:00Z');
  const next = startJobs(list, parts({ clock: () => new Date(wallMs) }));
  await expect.poll(nightly).toBe(2);
  await next.stop();
});

test('an hourly job with a lock runs once an hour over all workers, and once after missed hours', async () => {
  let wallMs = Date.parse('2026-11-24T12:00:00Z');
  const ran: number[] = [];
  const hourly: Job = {
    name: 'hourly',
    at: { daily: '37 * * * *' },
    alsoAtStart: false,
    lock: 'remarks',
    run: async () => void ran.push(wallMs),
  };
  const looks = [0, 0, 0];
  // A worker reads the clock each time it looks for due jobs, so this counts how often each worker has looked.
  const look = (worker: number) => {
    looks[worker] = (looks[worker] ?? 0) + 1;
    return new Date(wallMs);
  };
  const workers = looks.map((_, worker) => startJobs([hourly], parts({ clock: () => look(worker) })));
  try {
    for (const [time, runs] of [
      ['12:36', 0],
      ['12:37', 1],
      ['13:36', 1],
      ['16:40', 2],
      ['16:41', 2],
    ] as const) {
      wallMs = Date.parse(`2026-11-24T${time}:00Z`);
      const seen = [...looks];
      await expect.poll(() => looks.every((count, worker) => count >= (seen[worker] ?? 0) + 2)).toBe(true);
      await expect.poll(() => ran.length).toBe(runs);
    }
  } finally {
    await Promise.all(workers.map(({ stop }) => stop()));
  }
  expect(ran).toHaveLength(2);
});

test('after a start with a clock 14 months ahead nothing is dropped before energy doctor --confirm-clock, and then by the retention', async () => {
  const { pool } = database;
  const home = await createTestMeter(database);
  // Simulates a clock that is 14 months fast: the installation seems to have been last used 430 days ago.
  const inUse = new Date(Date.now() - 430 * DAY_MS);
  const readAt = new Date(inUse.getTime() - 5 * DAY_MS);
  await home.read([[readAt, 1]], inUse);
  const request = { userId: home.userId, callerId: 'key_1', key: 'once', sha256: Buffer.alloc(32) };
  const [db, box] = [createDatabase(pool), createSecretEncrypter('a secret of the test’s own')];
  await storeIdempotentAnswer(db, box, request, { status: 201, body: '{}' });
  await pool.query("UPDATE idempotent_answers SET created_at = $1 WHERE caller_id = 'key_1'", [inUse]);
  await pool.query('UPDATE believed_time SET at = $1', [inUse]);
  const running = await startBelievedTimeUpdates(pool, { clock: now, log: SILENT });
  const countRemaining = async () => {
    const { rows } = await pool.query('SELECT FROM readings JOIN series USING (series_id) WHERE device_id = $1', [
      home.deviceId,
    ]);
    return rows.length;
  };
  try {
    await runAll({ ageClock: running.ageClock });
    expect(await countRemaining()).toBe(1);
    expect(await findIdempotentAnswer(db, box, request)).toMatchObject({ is: 'answered', status: 201 });
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: dataDir };
    const { stdout } = await promisify(execFile)(process.execPath, [TESTED_PROGRAM, 'doctor', '--confirm-clock'], {
      env,
    });
    expect(stdout).toContain('is confirmed');
    // The running process must use the clock that the operator has confirmed, without a restart.
    const isAdopted = () => Date.now() - running.ageClock().getTime() < DAY_MS;
    await expect.poll(isAdopted).toBe(true);
    await runAll({ ageClock: running.ageClock });
    expect(await countRemaining()).toBe(0);
    expect(await findIdempotentAnswer(db, box, request)).toEqual({ is: 'new' });
  } finally {
    running.stop();
  }
});
