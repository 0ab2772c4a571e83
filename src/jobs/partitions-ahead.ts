import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { ensurePartitions } from '#src/database/partitions.ts';
import type { Job } from './schedule.ts';

const MONTHS_AHEAD = 2;

/** Makes the partitions of the coming months, daily. (The writer makes those that it misses, at the price of a retry.) */
export function partitionsAhead(pool: Pool, log: Logger): Job {
  return {
    name: 'partitions ahead',
    at: '17 1 * * *',
    alsoAtStart: true,
    async run() {
      const now = new Date();
      const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + MONTHS_AHEAD, 1));
      const made = await ensurePartitions(pool, { from: now, to });
      if (made.length > 0) log.info({ made }, 'partitions made');
    },
  };
}
