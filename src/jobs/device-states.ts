import type { Clock } from '#src/core/clock.ts';
import type { Pool } from '#src/database/connect.ts';
import { restSilentDevices } from '#src/devices/states.ts';
import type { Job } from './schedule.ts';

/** Makes devices inactive that have been silent for a day, every minute. */
export function deviceStates(pool: Pool, clock: Clock): Job {
  return {
    name: 'device states',
    at: '17 * * * * *',
    alsoAtStart: true,
    async run() {
      await restSilentDevices(pool, clock());
    },
  };
}
