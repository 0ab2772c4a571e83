import { setTimeout as wait } from 'node:timers/promises';
import { replayRejectedMessages } from '#ingest/replay-rejected.ts';
import type { Fault } from './fault.ts';
import type { Installation } from './installation.ts';

const DAY_S = 86_400;
/** Maximum time in ms after a correction of the clock until a missed daily job runs. */
const MAX_CATCH_UP_MS = 120_000;

/**
 * Corrects the clock, and then processes rejected readings again. While the clock is behind, valid readings seem to be in the future and
 * are rejected.
 */
async function correctClock({ pool, setClock }: Installation): Promise<void> {
  await setClock(0);
  await wait(3_000);
  await replayRejectedMessages(pool, {}, { retentionMonths: 13 });
}

/**
 * Returns the time (Unix ms) for which the latest run of the daily check of the aggregates was scheduled. This job does not run when the
 * service starts.
 */
async function latestCheckMs({ pool }: Installation): Promise<number> {
  const { rows } = await pool.query("SELECT ran_for FROM daily_runs WHERE job = 'rollup check'");
  return rows[0]?.ran_for.getTime() ?? 0;
}

async function untilChecked(installation: Installation, sinceMs: number): Promise<void> {
  const untilMs = performance.now() + MAX_CATCH_UP_MS;
  while ((await latestCheckMs(installation)) <= sinceMs) {
    if (performance.now() > untilMs) throw new Error('a nightly job that the clock went over was not made up for');
    await wait(500);
  }
}

const step = (name: string, seconds: number): Fault => ({
  name,
  broker: 'embedded',
  hasClock: true,
  async harm(installation) {
    await installation.setClock(seconds);
    await wait(5_000);
    await correctClock(installation);
  },
});

/** Faults of the clock, by libfaketime: the processes see a shifted wall clock, but a correct monotonic clock. */
export const CLOCK_FAULTS: readonly Fault[] = [
  step('the clock 2 h ahead, and right again', 7_200),
  step('the clock 2 h back, and right again', -7_200),
  {
    name: 'started with a clock 430 days ahead, and right again',
    broker: 'embedded',
    hasClock: true,
    async harm(installation) {
      await installation.stop();
      await installation.setClock(430 * DAY_S);
      await installation.start();
      await wait(8_000);
      await installation.stop();
      await installation.setClock(0);
      await installation.start();
    },
  },
  {
    name: 'the clock over the minutes of the nightly jobs, and right again',
    broker: 'embedded',
    hasClock: true,
    async harm(installation) {
      const beforeMs = await latestCheckMs(installation);
      await installation.setClock(DAY_S);
      await untilChecked(installation, beforeMs);
      await correctClock(installation);
    },
  },
  {
    name: 'the machine asleep for 20 s',
    broker: 'embedded',
    hasClock: true,
    async harm(installation) {
      const pids = installation.pidsOf('');
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      // The shift simulates a machine that has slept: the wall clock continues during sleep, and the monotonic clock does not.
      await installation.setClock(600);
      await wait(20_000);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
      await wait(3_000);
      await correctClock(installation);
    },
  },
];
