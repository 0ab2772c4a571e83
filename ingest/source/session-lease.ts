import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { ADVISORY_LOCKS, getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { LOCK_SESSION_SETTINGS, startLockHeartbeat } from '#src/database/exclusive-lock.ts';

const AGAIN_MS = 1_000;
/** Maximum time in ms that a release waits for the database. */
const RELEASE_MS = 500;

/** Number of the session in its client id at an MQTT broker. In earlier versions, each worker had a numbered session. */
const OWN_SESSION = 1;

/**
 * The exclusive right to use a client id at an external broker, which disconnects the first of two clients with the same id. The lease is a
 * lock in the database. It ends with its process, or 5 s after its process hangs.
 */
export interface SessionLease {
  clientId: string;
  /** Releases the lease within half a second, even if the database hangs. */
  release(): Promise<void>;
  /** Registers a callback for the loss of the lease: the database connection broke, and another worker obtained the lease. */
  whenLost(onLost: () => void, log: Logger): void;
}

/** An SQL expression that tries to take all database locks of a lease. */
interface Locks {
  tried: string;
  values: unknown[];
}

/**
 * Acquires the lease of the session at a broker. Returns null if another worker has it. The lease occupies a database connection. No lease
 * can be acquired while the first worker of an earlier version is running.
 */
export const acquireLease = (pool: Pool, environment: string, url: string): Promise<SessionLease | null> =>
  take(pool, environment, OWN_SESSION, {
    tried: 'pg_try_advisory_lock_shared($1, $2) AND pg_try_advisory_lock($3)',
    values: [ADVISORY_LOCKS.ingestSession, OWN_SESSION, getAdvisoryLockId('session at', addressOf(url))],
  });

/** Acquires the lease of a session of an earlier version. Returns null if the worker of that session is still running. */
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

/**
 * Returns the address of a broker without user name and password. It identifies the lease, so all workers must configure the same address.
 */
function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host.toLowerCase()}${pathname.replace(/\/$/, '')}`;
}

/** Returns the numbers of those sessions of earlier versions for which the broker may still have messages. */
export async function loadSessionsOfEarlierVersions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query(
    'SELECT number FROM ingest_slots WHERE is_subscribed AND number <> $1 ORDER BY number',
    [OWN_SESSION],
  );
  return rows.map(({ number }) => number);
}

/** Records that the broker has no messages left for a session of an earlier version. */
export async function recordSessionWithoutMessages(pool: Pool, session: number): Promise<void> {
  await pool.query('UPDATE ingest_slots SET is_subscribed = false WHERE number = $1', [session]);
}

function held(pool: Pool, client: PoolClient, locks: Locks, clientId: string): SessionLease {
  /** The connection that holds the lease. Null while it is broken. */
  let holder: PoolClient | null = null;
  let stopKeeping = async () => {};
  let released = false;
  let afterLoss = async () => {};
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
      // The locks are released explicitly, because the next worker would otherwise wait until the server detects the end of this
      // connection.
      const unlocked = holder?.query('SELECT pg_advisory_unlock_all()').catch(() => {});
      if (unlocked) await Promise.race([unlocked, pause(RELEASE_MS, undefined, { ref: false })]);
      letGo();
    },
    whenLost(onLost, log) {
      afterLoss = async () => {
        while (!released) {
          try {
            const again = await lockedConnection(pool, locks);
            // The lease was released while this worker was acquiring it.
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

/** Returns a connection that holds the locks. Null if another worker holds one of them. */
async function lockedConnection(pool: Pool, { tried, values }: Locks): Promise<PoolClient | null> {
  const client = await pool.connect();
  try {
    // Raw SQL: one statement takes the locks and sets timeouts, because the process may hang between two statements.
    const { rows } = await client.query(
      `SELECT is_mine, CASE WHEN is_mine THEN ARRAY[${LOCK_SESSION_SETTINGS}] END FROM (SELECT ${tried} AS is_mine OFFSET 0) taken`,
      values,
    );
    if (rows[0].is_mine) return client;
    // Another worker holds one of the locks, so the others are released.
    await client.query('SELECT pg_advisory_unlock_all()');
    client.release();
    return null;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
