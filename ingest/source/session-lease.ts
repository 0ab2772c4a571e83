import type { Logger } from '#src/core/log.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { HOLDER_LIMITS, keepAlive } from '#src/database/exclusive-lock.ts';

const AGAIN_MS = 1_000;

/** The session that an installation's ingest has at an external broker. Others are those of earlier versions, one a worker. */
export const OWN_SESSION = 1;

/**
 * The right to be the installation's client at an external broker under one name: a broker keeps a session's messages for
 * its name, and cuts off the one of two that came first. The lease is a lock of the database. It ends with the process that
 * holds it, and 5 s after that one hangs.
 */
export interface SessionLease {
  /** Name of the session: nobody else uses it at the same time. */
  clientId: string;
  /** Gives the lease back. */
  release(): Promise<void>;
  /** Calls back when somebody else has the lease, after the connection that held it broke. */
  whenLost(onLost: () => void, log: Logger): void;
}

/** Takes the lease of a session; null where somebody has it. A connection of the pool is in use as long as it is held. */
export async function takeLease(pool: Pool, environment: string, session: number): Promise<SessionLease | null> {
  const client = await lockedConnection(pool, session);
  if (!client) return null;
  try {
    const { rows } = await client.query('SELECT installation_id FROM installation');
    return held(pool, client, session, `energy-ingest-${environment}-${rows[0].installation_id}-${session}`);
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Sessions for which the broker keeps messages, beside the one in use: of workers of earlier versions, which shared. */
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

function held(pool: Pool, client: PoolClient, session: number, clientId: string): SessionLease {
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
      await holder?.query('SELECT pg_advisory_unlock($1, $2)', [ADVISORY_LOCKS.ingestSession, session]).catch(() => {});
      letGo();
    },
    whenLost(onLost, log) {
      afterLoss = async () => {
        while (!released) {
          try {
            const again = await lockedConnection(pool, session);
            // Given back meanwhile.
            if (released) return again?.release(true);
            return again ? hold(again) : onLost();
          } catch (error) {
            log.debug({ err: error, session }, 'lease not taken again yet');
            await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
          }
        }
      };
    },
  };
}

/** A connection that holds the lock of a session, with the limits of one that does; null where another has it. */
async function lockedConnection(pool: Pool, session: number): Promise<PoolClient | null> {
  const client = await pool.connect();
  try {
    // Raw SQL: locks, and limits of the session. In one statement: between two of them a process may hang.
    const { rows } = await client.query(
      `SELECT is_mine, CASE WHEN is_mine THEN ARRAY[${HOLDER_LIMITS}] END
       FROM (SELECT pg_try_advisory_lock($1, $2) AS is_mine OFFSET 0) taken`,
      [ADVISORY_LOCKS.ingestSession, session],
    );
    if (rows[0].is_mine) return client;
    client.release();
    return null;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
