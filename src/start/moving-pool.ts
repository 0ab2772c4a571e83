import { createPool, type Pool } from '#src/database/connect.ts';

/** What the sessions of a move are known by. */
export const MOVE = 'energy migrate';

/** Sessions of a move: they have what time they need. `max`: how many. `settings`: further ones. */
export const createMovingPool = (url: string, { max, settings = [] }: { max: number; settings?: string[] }): Pool =>
  createPool(url, {
    max,
    applicationName: MOVE,
    settings: [
      ...settings,
      'statement_timeout=0',
      'lock_timeout=0',
      'idle_in_transaction_session_timeout=0',
      // Fingerprints are compared as text, and bytes go through JSON: both sides must write them alike.
      'DateStyle=ISO',
      'IntervalStyle=postgres',
      'bytea_output=hex',
      'extra_float_digits=1',
    ],
  });
