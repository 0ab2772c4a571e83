import { createPool, type Pool } from '#src/database/connect.ts';
import { WatchedClient } from '#src/database/host-client.ts';

/** What the sessions of a move are known by. */
export const MOVE = 'energy migrate';

/** PostgreSQL's error for a full disk, `disk_full`. */
const DISK_FULL = '53100';

/**
 * Sessions of a move: they have what time they need. `side`: the words for the database in errors; `max`: how many sessions; `settings`: further
 * ones.
 */
export function createMovingPool(
  url: string,
  { side, max, settings = [] }: { side: 'old' | 'new'; max: number; settings?: string[] },
): Pool {
  const pool = createPool(url, {
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
  // Two servers take part in a move, and the error of one does not name it. Its connection does, also of a COPY.
  pool.on('connect', (client) => {
    if (!(client instanceof WatchedClient)) return;
    client.connection.prependListener('errorMessage', (error: Error & { code?: string }) => {
      if (error.code === DISK_FULL) error.message = `The disk of the ${side} database is full (${error.message})`;
    });
  });
  return pool;
}
