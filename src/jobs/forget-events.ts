import type { Clock } from '#src/core/clock.ts';
import type { Pool } from '#src/database/connect.ts';
import { forgetEvents as forget } from '#src/delivery/forget.ts';
import type { Job } from './schedule.ts';

/** Gives up what has waited for a week, and forgets what happened a month ago, hourly. */
export function forgetEvents(pool: Pool, clock: Clock): Job {
  return {
    name: 'forget events',
    at: '41 * * * *',
    alsoAtStart: false,
    async run() {
      await forget(pool, clock());
    },
  };
}
