import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from './connect.ts';

/** If the holder of a lock runs no statement for this time (seconds), the server ends its session, because the process hangs. */
const LOST_AFTER_SECONDS = 5;
/** Like `LOST_AFTER_SECONDS`, for work at the start of a process. Such work sends no heartbeats. */
const START_LOST_AFTER_SECONDS = 60;
/** Interval in ms at which the holder of a lock sends a heartbeat. */
const BEAT_MS = 1_500;

/** Returns settings for the holder of a lock, by which the server detects a killed client or a lost machine even during a statement. */
const lockSessionSettings = (lostAfterSeconds: number): string => `
  set_config('idle_session_timeout', '${lostAfterSeconds}s', false),
  set_config('idle_in_transaction_session_timeout', '${lostAfterSeconds}s', false),
  set_config('tcp_keepalives_idle', '3', false), set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '2', false), set_config('tcp_user_timeout', '7s', false),
  CASE WHEN version() ~* 'linux|darwin|bsd' THEN set_config('client_connection_check_interval', '2s', false) END`;
/** Session settings for a lock holder that sends heartbeats. */
export const LOCK_SESSION_SETTINGS = lockSessionSettings(LOST_AFTER_SECONDS);
/** Restores the server's defaults before the connection returns to the pool. */
const NO_LIMITS =
  "set_config('idle_session_timeout', NULL, false), set_config('idle_in_transaction_session_timeout', NULL, false)";

/** The session that holds a lock. It runs one statement at a time. */
export type LockSession = Pick<PoolClient, 'query'>;

/**
 * Runs `work` while holding the advisory lock `key`, so that no other process runs it. Returns null if another session holds the lock. The
 * lock ends at the latest 5 s after its process hangs; another process may then run `work` concurrently. If that would do harm, all
 * statements of `work` must use `session`; otherwise `work` must check `lost` between its steps. Throws if the lock was lost.
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
    // Raw SQL: takes the lock and sets the limits in one statement, because the process may hang between two.
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
    // After an error the session may still hold the lock, so the pool closes its connection.
    client.release(mustEnd);
  }
}

/**
 * Waits for a lock, then runs `work` on the session that holds it. For work that every process does at its start. If the process hangs, the
 * lock ends after a minute.
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

/** Statements that were started together run one after the other, without a heartbeat between them. */
function inTurn(client: PoolClient): LockSession {
  let last: Promise<unknown> = Promise.resolve();
  const query = (text: string, values?: unknown[]) => {
    const mine = last.then(() => client.query(text, values));
    last = mine.catch(() => {});
    return mine;
  };
  return { query: query as PoolClient['query'] };
}

/** Sends heartbeats for the holder of a lock. Returns a function that stops them. */
export function startLockHeartbeat(session: LockSession): () => Promise<void> {
  const over = new AbortController();
  const beating = (async () => {
    while (!over.signal.aborted) {
      await setTimeout(BEAT_MS, undefined, { signal: over.signal, ref: false }).catch(() => {});
      // A heartbeat may fail during a failed transaction. If the session has ended, `work` is notified by its signal.
      if (!over.signal.aborted) await session.query('SELECT').catch(() => {});
    }
  })();
  return () => {
    over.abort();
    return beating;
  };
}
