import type { Logger } from '#src/core/log.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Pool } from '#src/database/connect.ts';
import { firstCheckedMonth } from '#src/rollups/check.ts';
import { passOverRollups } from '#src/rollups/mend.ts';
import type { Job } from './schedule.ts';

/** Compares every aggregate with the load profile beneath it, nightly; repairs and reports what differs. */
export function rollupCheck(
  pool: Pool,
  { capabilities, retentionMonths }: { capabilities: Capabilities; retentionMonths: number },
  log: Logger,
): Job {
  return {
    name: 'rollup check',
    at: '43 2 * * *',
    alsoAtStart: false,
    async run() {
      const report = await passOverRollups(pool, {
        capabilities,
        since: firstCheckedMonth(new Date(), retentionMonths),
        mode: 'repair',
      });
      const { users, rebuilt, differences } = report;
      if (differences.length === 0) log.info({ users }, 'aggregates are right');
      else
        log.error({ users, rebuilt, differences: differences.slice(0, 100) }, 'aggregates differed and were repaired');
    },
  };
}
