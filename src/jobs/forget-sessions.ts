import { forgetSessions as forget } from '#src/auth/sessions.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Database } from '#src/database/connect.ts';
import type { Job } from './schedule.ts';

/** Forgets sessions of the dashboard that are over, and ways to sign in that nobody used, hourly. */
export function forgetSessions(db: Database, clock: Clock): Job {
  return {
    name: 'forget sessions',
    at: '37 * * * *',
    alsoAtStart: false,
    run: () => forget(db, clock()),
  };
}
