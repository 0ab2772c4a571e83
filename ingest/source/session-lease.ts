import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { ADVISORY_LOCKS, advisoryLockId } from '#src/database/advisory-locks.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { LOCK_SESSION_SETTINGS, startLockHeartbeat } from '#src/database/exclusive-lock.ts';

const AGAIN_MS = 1_000;
/** Maximum time for the database to release a lease. If the database hangs, the lease ends with its connection. */
const RELEASE_MS = 500;

/**
 * Number of the current session, which is part of its client id at an MQTT broker. Other numbers belong to earlier versions, which had one
 * session for each worker. The first worker of an earlier version also used this number.
 */
const OWN_SESSION = 1;

/**
 * The right to be the installation's only client at an external broker with a client id. A broker stores a session's messages by client id,
 * and disconnects the first of two clients with the same id. The lease is a lock in the database. The lease ends with its process, or 5 s
 * after its process hangs.
 */
export interface SessionLease {
  /** Client id of the session. No other worker uses it at the same broker at the same time. */
  clientId: string;
  /** Releases the lease, within half a second even if the database hangs. */
  release(): Promise<void>;
  /**
   * Registers a callback. The callback is called if the connection that held the lease broke and another worker then obtained the lease.
   */
  whenLost(onLost: () => void, log: Logger): void;
}

/** The database locks of a lease: an SQL expression that tries to take the locks, and its parameters. */
interface Locks {
  tried: string;
  values: unknown[];
}

/**
 * Acquires the lease of the session at a broker (MQTT_URL). Null if another worker has the lease. The lease occupies a connection of the
 * pool while it is held. An installation may have several brokers, with an active worker at each. If the first worker of an earlier version
 * is running, no lease can be acquired at any broker.
 */
export const acquireLease = (pool: Pool, environment: string, url: string): Promise<SessionLease | null> =>
  take(pool, environment, OWN_SESSION, {
    tried: 'pg_try_advisory_lock_shared($1, $2) AND pg_try_advisory_lock($3)',
    values: [ADVISORY_LOCKS.ingestSession, OWN_SESSION, advisoryLockId('session at', addressOf(url))],
  });

/** Acquires the lease of a session of an earlier version; null if the worker of that session is still running. */
export const acquireLeaseOfEarlierVersion = (
  pool: Pool,
  environment: string,
  session: number,
): Promise<SessionLease | null> =>
  take(pool, environment, session, {
    tried: 'pg_try_advisory_lock($1, $2)',
    values: [ADVISORY_LOCKS.ingestSession, session],
  });

async function take(pool: Pool, environment: string, session: number, locks: Locks): Promise<SessionLease | null> {
  const client = await lockedConnection(pool, locks);
  if (!client) return null;
  try {
    const { rows } = await client.query('SELECT installation_id FROM installation');
    return held(pool, client, locks, `energy-ingest-${environment}-${rows[0].installation_id}-${session}`);
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Returns the address of a broker without the login. All workers must configure the address of a broker in the same way. */
function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host.toLowerCase()}${pathname.replace(/\/$/, '')}`;
}

/** Returns the sessions of workers of earlier versions for which the broker may have stored messages. */
export async function loadSessionsOfEarlierVersions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query(
    'SELECT number FROM ingest_slots WHERE is_subscribed AND number <> $1 ORDER BY number',
    [OWN_SESSION],
  );
  return rows.map(({ number }) => number);
}

/** Records that the session of an earlier version has no messages and no subscriptions left at the broker. */
export async function recordEmptySession(pool: Pool, session: number): Promise<void> {
  await pool.query('UPDATE ingest_slots SET is_subscribed = false WHERE number = $1', [session]);
}

function held(pool: Pool, client: PoolClient, locks: Locks, clientId: string): SessionLease {
  /** Connection that holds the lease; null while the connection is broken. */
  let holder: PoolClient | null = null;
  let stopKeeping = async () => {};
  let released = false;
  let afterLoss = async () => {};
  // Closing the connection also releases its locks.
  const letGo = () => {
    void stopKeeping();
    holder?.release(true);
    holder = null;
  };
  const hold = (connection: PoolClient) => {
    holder = connection;
    stopKeeping = startLockHeartbeat(connection);
    connection.once('end', () => {
      letGo();
      void afterLoss();
    });
  };
  hold(client);
  return {
    clientId,
    async release() {
      released = true;
      // Unlocks explicitly, so that a waiting worker need not wait until the server detects the end of this connection.
      const unlocked = holder?.query('SELECT pg_advisory_unlock_all()').catch(() => {});
      if (unlocked) await Promise.race([unlocked, pause(RELEASE_MS, undefined, { ref: false })]);
      letGo();
    },
    whenLost(onLost, log) {
      afterLoss = async () => {
        while (!released) {
          try {
            const again = await lockedConnection(pool, locks);
            // The lease was released while this worker tried to acquire it again.
            if (released) return again?.release(true);
            return again ? hold(again) : onLost();
          } catch (error) {
            log.debug({ err: error, client_id: clientId }, 'lease not taken again yet');
            await pause(AGAIN_MS);
          }
        }
      };
    },
  };
}

/** Returns a connection that holds the locks, with the timeouts of a lock holder. Null if another worker holds any of the locks. */
async function lockedConnection(pool: Pool, { tried, values }: Locks): Promise<PoolClient | null> {
  const client = await pool.connect();
  try {
    // Raw SQL: takes the locks and sets the limits of the session in one statement, because a process may hang between two statements.
    const { rows } = await client.query(
      `SELECT is_mine, CASE WHEN is_mine THEN ARRAY[${LOCK_SESSION_SETTINGS}] END FROM (SELECT ${tried} AS is_mine OFFSET 0) taken`,
      values,
    );
    if (rows[0].is_mine) return client;
    // Another worker holds at least one of the locks, so the locks that were taken are released.
    await client.query('SELECT pg_advisory_unlock_all()');
    client.release();
    return null;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
