import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from './connect.ts';

/**
 * A session with a lock that says nothing for so long is ended by the server, and its lock with it: the process that has it hangs, or is
 * gone with its machine. (Of a process that is killed the server hears at once.)
 */
const LOST_AFTER_SECONDS = 5;
/** How often a holder that has nothing to ask says that it is there. */
const BEAT_MS = 1_500;

/**
 * Limits of a session that holds a lock. A statement that is under way counts as a sign of life; that its client was killed meanwhile
 * the server sees by looking (not on Windows), that its machine is gone by asking the network.
 */
export const HOLDER_LIMITS = `
  set_config('idle_session_timeout', '${LOST_AFTER_SECONDS}s', false),
  set_config('idle_in_transaction_session_timeout', '${LOST_AFTER_SECONDS}s', false),
  set_config('tcp_keepalives_idle', '3', false), set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '2', false), set_config('tcp_user_timeout', '7s', false),
  CASE WHEN version() ~* 'linux|darwin|bsd' THEN set_config('client_connection_check_interval', '2s', false) END`;
/** For whoever uses the connection next: as the server has them (NULL). */
const NO_LIMITS =
  "set_config('idle_session_timeout', NULL, false), set_config('idle_in_transaction_session_timeout', NULL, false)";

/** The session that holds a lock; one statement at a time, those that wait in the order in which they were asked. */
export type LockSession = Pick<PoolClient, 'query'>;

/**
 * Does something that nobody else does meanwhile, in any process: `key` is that of the lock. Null where somebody is at it.
 *
 * The lock belongs to a session, and ends with it: 5 s after its process has hung at the latest, where no statement is under way. So
 * what must never be done twice at once goes over `session`: whoever lost the lock has no session to do it with. What goes over other
 * connections must be harmless twice, and looks at `lost` between its pieces. Throws where the lock was lost before the work was over.
 */
export async function withExclusiveLock<T>(
  pool: Pool,
  key: number,
  work: (session: LockSession, lost: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onEnd = () => lost.abort(new Error('the session that held the lock was ended'));
  client.once('end', onEnd);
  let mustEnd = true;
  try {
    // Raw SQL: locks, and limits of the session. In one statement: between two of them a process may hang.
    const { rows } = await client.query(
      `SELECT is_mine, CASE WHEN is_mine THEN ARRAY[${HOLDER_LIMITS}] END
       FROM (SELECT pg_try_advisory_lock($1) AS is_mine OFFSET 0) taken`,
      [key],
    );
    if (!rows[0].is_mine) {
      mustEnd = false;
      return null;
    }
    const session = inTurn(client);
    const stopBeating = keepAlive(session);
    const result = await work(session, lost.signal).finally(stopBeating);
    await client.query(`SELECT pg_advisory_unlock($1), ${NO_LIMITS}`, [key]);
    mustEnd = false;
    return result;
  } finally {
    client.off('end', onEnd);
    // A connection that may still have the lock is not used again.
    client.release(mustEnd);
  }
}

/**
 * Waits for a lock and does something on the session that holds it, as `withExclusiveLock` does; for what every process does at its
 * start, one after the other.
 */
export async function afterExclusiveLock<T>(
  pool: Pool,
  key: number,
  work: (session: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let mustEnd = true;
  try {
    await client.query(`SELECT pg_advisory_lock($1), ARRAY[${HOLDER_LIMITS}]`, [key]);
    const result = await work(client);
    await client.query(`SELECT pg_advisory_unlock($1), ${NO_LIMITS}`, [key]);
    mustEnd = false;
    return result;
  } finally {
    client.release(mustEnd);
  }
}

/** Statements one after the other, so that a sign of life does not come between two that are under way at once. */
function inTurn(client: PoolClient): LockSession {
  let last: Promise<unknown> = Promise.resolve();
  const query = (text: string, values?: unknown[]) => {
    const mine = last.then(() => client.query(text, values));
    last = mine.catch(() => {});
    return mine;
  };
  return { query: query as PoolClient['query'] };
}

/** Says again and again that the holder of a lock is there (`HOLDER_LIMITS`). Returns how to stop, after the last of it. */
export function keepAlive(session: LockSession): () => Promise<void> {
  const over = new AbortController();
  const beating = (async () => {
    while (!over.signal.aborted) {
      await setTimeout(BEAT_MS, undefined, { signal: over.signal, ref: false }).catch(() => {});
      // Where the session has ended the work is told, and amid a failed transaction this fails, too.
      if (!over.signal.aborted) await session.query('SELECT').catch(() => {});
    }
  })();
  return () => {
    over.abort();
    return beating;
  };
}
