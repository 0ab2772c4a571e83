import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from './connect.ts';

/**
 * If a session that holds a lock runs no statement for this time, the server ends the session, which releases the lock. This happens if the
 * session's process hangs, or disappears with its machine. (The end of a killed process is detected at once.)
 */
const LOST_AFTER_SECONDS = 5;
/**
 * Like `LOST_AFTER_SECONDS`, for work at the start of a process, which sends no heartbeats. On a busy machine, seconds may pass between two
 * statements of a migration, and the end of the session would end the process.
 */
const START_LOST_AFTER_SECONDS = 60;
/** Interval at which the holder of a lock sends a heartbeat while it runs no statement. */
const BEAT_MS = 1_500;

/**
 * Returns settings for a session that holds a lock. A running statement counts as a sign of life. During a statement, the server detects a
 * killed client by checking the connection (not on Windows), and a lost machine by TCP keep-alive.
 */
const lockSessionSettings = (lostAfterSeconds: number): string => `
  set_config('idle_session_timeout', '${lostAfterSeconds}s', false),
  set_config('idle_in_transaction_session_timeout', '${lostAfterSeconds}s', false),
  set_config('tcp_keepalives_idle', '3', false), set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '2', false), set_config('tcp_user_timeout', '7s', false),
  CASE WHEN version() ~* 'linux|darwin|bsd' THEN set_config('client_connection_check_interval', '2s', false) END`;
/**
 * Session settings for a lock holder that sends heartbeats (`startLockHeartbeat`): without a heartbeat, the server ends the session after 5
 * s.
 */
export const LOCK_SESSION_SETTINGS = lockSessionSettings(LOST_AFTER_SECONDS);
/** SQL expressions that restore the server's defaults (NULL means the default) before the connection returns to the pool. */
const NO_LIMITS =
  "set_config('idle_session_timeout', NULL, false), set_config('idle_in_transaction_session_timeout', NULL, false)";

/** The session that holds an advisory lock. It runs one statement at a time, in the order in which the statements were requested. */
export type LockSession = Pick<PoolClient, 'query'>;

/**
 * Runs `work` while holding the advisory lock `key`, so that no other process does the same work. Returns null if another session holds the
 * lock. The lock ends with its session: at the latest 5 s after its process has hung, unless a statement is running. If it would be harmful
 * to run the work twice concurrently, the work must run its statements on `session`, which fails once the lock is lost. Other work must
 * check `lost` between its steps. Throws if the lock was lost before the work ended.
 */
export async function withExclusiveLock<T>(
  pool: Pool,
  key: number | bigint,
  work: (session: LockSession, lost: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onEnd = () => lost.abort(new Error('the session that held the lock was ended'));
  client.once('end', onEnd);
  let mustEnd = true;
  try {
    // Raw SQL: the statement takes the lock and sets the limits of the session in one statement, because the process may hang between two.
    const { rows } = await client.query(
      `SELECT is_mine, CASE WHEN is_mine THEN ARRAY[${LOCK_SESSION_SETTINGS}] END
       FROM (SELECT pg_try_advisory_lock($1) AS is_mine OFFSET 0) taken`,
      [key],
    );
    if (!rows[0].is_mine) {
      mustEnd = false;
      return null;
    }
    const session = inTurn(client);
    const stopBeating = startLockHeartbeat(session);
    const result = await work(session, lost.signal).finally(stopBeating);
    await client.query(`SELECT pg_advisory_unlock($1), ${NO_LIMITS}`, [key]);
    mustEnd = false;
    return result;
  } finally {
    client.off('end', onEnd);
    // Ends the session, because it may still hold the lock.
    client.release(mustEnd);
  }
}

/**
 * Waits for a lock, then runs `work` on the session that holds the lock. Used for work that every process does at its start, one process
 * after the other. If the process hangs between two statements, the lock ends after a minute.
 */
export async function waitForExclusiveLock<T>(
  pool: Pool,
  key: number,
  work: (session: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let mustEnd = true;
  try {
    await client.query(`SELECT pg_advisory_lock($1), ARRAY[${lockSessionSettings(START_LOST_AFTER_SECONDS)}]`, [key]);
    const result = await work(client);
    await client.query(`SELECT pg_advisory_unlock($1), ${NO_LIMITS}`, [key]);
    mustEnd = false;
    return result;
  } finally {
    client.release(mustEnd);
  }
}

/** Runs statements one after the other, so that no heartbeat runs between two statements of the work that were started together. */
function inTurn(client: PoolClient): LockSession {
  let last: Promise<unknown> = Promise.resolve();
  const query = (text: string, values?: unknown[]) => {
    const mine = last.then(() => client.query(text, values));
    last = mine.catch(() => {});
    return mine;
  };
  return { query: query as PoolClient['query'] };
}

/**
 * Sends heartbeats for the holder of a lock (`LOCK_SESSION_SETTINGS`). Returns a function that stops the heartbeats and resolves after the
 * last one.
 */
export function startLockHeartbeat(session: LockSession): () => Promise<void> {
  const over = new AbortController();
  const beating = (async () => {
    while (!over.signal.aborted) {
      await setTimeout(BEAT_MS, undefined, { signal: over.signal, ref: false }).catch(() => {});
      // Errors of a heartbeat are ignored. If the session has ended, `work` is notified through its signal. A heartbeat also fails during a
      // failed transaction.
      if (!over.signal.aborted) await session.query('SELECT').catch(() => {});
    }
  })();
  return () => {
    over.abort();
    return beating;
  };
}
