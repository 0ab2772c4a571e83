import type { Config } from '#src/config/load.ts';
import { createLog } from '#src/core/log.ts';
import { createPool } from '#src/database/connect.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { partitionsAhead } from '#src/jobs/partitions-ahead.ts';
import { rollupCheck } from '#src/jobs/rollup-check.ts';
import { startJobs } from '#src/jobs/schedule.ts';
import { runRole } from './role.ts';

/** The worker role: what happens at set times. */
export async function runWorker(config: Config): Promise<void> {
  const log = createLog('worker', config.logLevel);
  await runRole('worker', log, async () => {
    const pool = createPool(await databaseUrl(config), { max: 4, applicationName: 'energy worker' });
    const jobs = [partitionsAhead(pool, log), rollupCheck(pool, config.retentionMonths, log)];
    const stopJobs = startJobs(jobs, log);
    return {
      ready: { jobs: jobs.map((job) => job.name) },
      async stop() {
        await stopJobs();
        await pool.end();
      },
    };
  });
}
