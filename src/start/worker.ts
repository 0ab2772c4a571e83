import type { Config } from '#src/config/load.ts';
import { createLog } from '#src/core/log.ts';
import { createDb, createPool } from '#src/database/connect.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';
import { forgetAnswers } from '#src/jobs/forget-answers.ts';
import { historyUpkeep } from '#src/jobs/history-upkeep.ts';
import { partitionsAhead } from '#src/jobs/partitions-ahead.ts';
import { rollupCheck } from '#src/jobs/rollup-check.ts';
import { rollupRefresh } from '#src/jobs/rollup-refresh.ts';
import { startJobs } from '#src/jobs/schedule.ts';
import { LAGS, lags } from './lags.ts';
import { runRole } from './role.ts';

/** The worker role: what happens at set times. */
export async function runWorker(config: Config): Promise<void> {
  const log = createLog('worker', config.logLevel);
  await runRole('worker', config, log, async (metrics) => {
    const pool = createPool(await databaseUrl(config), { max: 4, applicationName: 'energy worker' });
    const { database } = await migrate(pool, config.database);
    const { capabilities } = database;
    const { retentionMonths } = config;
    const jobs = [
      partitionsAhead(pool, log),
      historyUpkeep(pool, retentionMonths, log),
      forgetAnswers(createDb(pool)),
      rollupCheck(pool, { capabilities, retentionMonths }, log),
      ...(capabilities.continuousAggregates ? [rollupRefresh(pool, log)] : []),
    ];
    const stopJobs = startJobs(jobs, log);
    metrics.valuesOf(LAGS, () => lags(pool));
    return {
      ready: { database: database.line, jobs: jobs.map((job) => job.name) },
      async stop() {
        await stopJobs();
        await pool.end();
      },
    };
  });
}
