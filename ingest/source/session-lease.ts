import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/core/log.ts';
import { ADVISORY_LOCKS, lockOf } from '#src/database/advisory-locks.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { HOLDER_LIMITS, keepAlive } from '#src/database/exclusive-lock.ts';

const AGAIN_MS = 1_000;
/** How long the database may take to hear that a lease is given back. Where it hangs, the lease ends with its connection. */
const RELEASE_MS = 500;

/**
 * Number of the session that an installation's ingest has at an MQTT broker, in its name there. Others are those of earlier versions, one
 * a worker; the first of those worked under this name, too.
 */
const OWN_SESSION = 1;

/**
 * The right to be the installation's client at an external broker under one name: a broker keeps a session's messages for
 * its name, and cuts off the one of two that came first. The lease is a lock of the database. It ends with the process that
 * holds it, and 5 s after that one hangs.
 */
export interface SessionLease {
  /** Name of the session: nobody else uses it at the same broker at the same time. */
  clientId: string;
  /** Gives the lease back, within half a second also where the database hangs. */
  release(): Promise<void>;
  /** Calls back when somebody else has the lease, after the connection that held it broke. */
  whenLost(onLost: () => void, log: Logger): void;
}

/** Which locks a lease consists of: an expression that tries them, and its parameters. */
interface Locks {
  tried: string;
  values: unknown[];
}

/**
 * Takes the lease of the session at a broker (MQTT_URL); null where somebody has it. A connection of the pool is in use as long as it is
 * held. An installation may have several brokers, with a worker serving at each; a first worker of an earlier version excludes them all.
 */
export const takeLease = (pool: Pool, environment: string, url: string): Promise<SessionLease | null> =>
  take(pool, environment, OWN_SESSION, {
    tried: 'pg_try_advisory_lock_shared($1, $2) AND pg_try_advisory_lock($3)',
    values: [ADVISORY_LOCKS.ingestSession, OWN_SESSION, lockOf('session at', addressOf(url))],
  });

/** The same of a session of an earlier version; null where its worker is still there. */
export const takeEarlierLease = (pool: Pool, environment: string, session: number): Promise<SessionLease | null> =>
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

/** Where a broker is, without who asks it: two workers of one broker must have it written alike. */
function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host.toLowerCase()}${pathname.replace(/\/$/, '')}`;
}

/** Sessions of workers of earlier versions for which the broker may keep messages. */
export async function earlierSessions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query(
    'SELECT number FROM ingest_slots WHERE is_subscribed AND number <> $1 ORDER BY number',
    [OWN_SESSION],
  );
  return rows.map(({ number }) => number);
}

/** Notes that the broker has nothing more for a session of an earlier version, and is given nothing for it. */
export async function noteEmptied(pool: Pool, session: number): Promise<void> {
  await pool.query('UPDATE ingest_slots SET is_subscribed = false WHERE number = $1', [session]);
}

function held(pool: Pool, client: PoolClient, locks: Locks, clientId: string): SessionLease {
  /** Null while the connection that held the lease is broken. */
  let holder: PoolClient | null = null;
  let stopKeeping = async () => {};
  let released = false;
  let afterLoss = async () => {};
  // Its connection ends with it, and the lock with that.
  const letGo = () => {
    void stopKeeping();
    holder?.release(true);
    holder = null;
  };
  const hold = (connection: PoolClient) => {
    holder = connection;
    stopKeeping = keepAlive(connection);
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
      // So that whoever waits need not wait until the server has seen this connection end.
      const unlocked = holder?.query('SELECT pg_advisory_unlock_all()').catch(() => {});
      if (unlocked) await Promise.race([unlocked, pause(RELEASE_MS, undefined, { ref: false })]);
      letGo();
    },
    whenLost(onLost, log) {
      afterLoss = async () => {
        while (!released) {
          try {
            const again = await lockedConnection(pool, locks);
            // Given back meanwhile.
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

/** A connection that holds the locks, with the limits of one that does; null where another has one of them. */
async function lockedConnection(pool: Pool, { tried, values }: Locks): Promise<PoolClient | null> {
  const client = await pool.connect();
  try {
    // Raw SQL: locks, and limits of the session. In one statement: between two of them a process may hang.
    const { rows } = await client.query(
      `SELECT is_mine, CASE WHEN is_mine THEN ARRAY[${HOLDER_LIMITS}] END FROM (SELECT ${tried} AS is_mine OFFSET 0) taken`,
      values,
    );
    if (rows[0].is_mine) return client;
    // Of several locks some may have been taken.
    await client.query('SELECT pg_advisory_unlock_all()');
    client.release();
    return null;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
