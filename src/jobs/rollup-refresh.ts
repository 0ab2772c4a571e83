import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { refreshRollups } from '#src/rollups/refresh.ts';
import type { Job } from './schedule.ts';

/** Keeps the continuous aggregates right, every five seconds: corrections of the past are to be seen within thirty. */
export function rollupRefresh(pool: Pool, log: Logger): Job {
  return {
    name: 'rollup refresh',
    at: '*/5 * * * * *',
    alsoAtStart: true,
    async run() {
      const startedAt = performance.now();
      const { busy, folded, days } = await refreshRollups(pool, new Date());
      const tookMs = Math.round(performance.now() - startedAt);
      if (!busy && folded + days > 0) log.info({ late_differences: folded, days, took_ms: tookMs }, 'past corrected');
    },
  };
}
