import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { compressHistory, dropReadings } from '#src/database/history.ts';
import type { Job } from './schedule.ts';

/** Drops the readings that are older than the retention and compresses those beyond the late-data window, nightly. */
export function historyUpkeep(pool: Pool, retentionMonths: number, log: Logger): Job {
  return {
    name: 'history upkeep',
    at: '7 1 * * *',
    alsoAtStart: true,
    async run() {
      const now = new Date();
      const dropped = await dropReadings(pool, now, retentionMonths);
      if (dropped.length > 0) log.info({ dropped }, 'readings beyond the retention dropped; their consumption stays');
      const { compressed, nextChunks } = await compressHistory(pool, now);
      if (compressed.length > 0) log.info({ compressed }, 'chunks compressed');
      if (nextChunks) log.info({ next_chunks: nextChunks }, 'length of chunks chosen anew');
    },
  };
}
