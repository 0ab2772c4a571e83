import { raiseSilences } from '#src/alerts/silence.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Pool } from '#src/database/connect.ts';
import type { Job } from './schedule.ts';

/** Fires no_data alerts, twice a minute. */
export function silence(pool: Pool, clock: Clock): Job {
  return {
    name: 'silence',
    at: '*/30 * * * * *',
    alsoAtStart: true,
    async run() {
      while ((await raiseSilences(pool, clock())) > 0);
    },
  };
}
