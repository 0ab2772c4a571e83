import type { Logger } from '#src/core/log.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';

const AGAIN_MS = 1_000;

/**
 * A worker's place among those of its installation, with a session of its own at the broker. A broker keeps what was not
 * acknowledged for the session that it went to and gives it to nobody else (mosquitto, shared subscriptions), and goes on
 * giving new messages to a session whose worker is gone. So whoever takes a dead worker's place has its name, and a place
 * that nobody takes is emptied by the others. Slots are locks of the database: they end with the process that holds them.
 */
export interface Slot {
  number: number;
  /** Name of the session: nobody else uses it at the same time. */
  clientId: string;
  /** Notes that the broker gives messages to the session, or no more. */
  note(isSubscribed: boolean): Promise<void>;
  /**
   * Takes the place of another worker that is gone while the broker still gives messages to its session; null where there is
   * none. Null, too, while this place's own lock is lost: when a database comes back nobody has a lock, and a worker that
   * took its own place for an orphan's, or two that took each other's, would end the subscriptions they live on.
   */
  takeOrphan(): Promise<Slot | null>;
  /**
   * Whether other workers hold places.
   */
  hasOthers(): Promise<boolean>;
  /**
   * Gives the place back. Answers whether other workers stay: of several that go at once the last to give its place back
   * is told that none does.
   */
  release(): Promise<{ othersStay: boolean }>;
}

/** Takes a slot for this worker: one that waits for its messages to be taken, or else the lowest free one. */
export async function takeSlot(pool: Pool, environment: string): Promise<Slot & Held> {
  return onConnection(pool, async (client) => {
    // Raw SQL: advisory locks, on the one connection that holds them.
    const { rows } = await client.query('SELECT number FROM ingest_slots ORDER BY is_subscribed DESC, number');
    for (const { number } of rows) if (await tryLock(client, number)) return held(pool, client, number, environment);
    for (let number = rows.length + 1; ; number++) {
      if (await tryLock(client, number)) return held(pool, client, number, environment);
    }
  });
}

/**
 * Does something on a connection that whatever it answers keeps; null gives the connection back. Where it throws, the
 * connection ends, and with it a lock that was taken on it.
 */
async function onConnection<T>(pool: Pool, take: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const taken = await take(client);
    if (taken === null) client.release();
    return taken;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

interface Held {
  /** Calls back when another worker has the slot, after the connection that held it broke. */
  whenLost(onLost: () => void, log: Logger): void;
}

async function held(pool: Pool, client: PoolClient, number: number, environment: string): Promise<Slot & Held> {
  /** Null while the connection that held the place is broken. */
  let holder: PoolClient | null = client;
  let released = false;
  let afterLoss = async () => {};
  // Its connection ends with it, and the lock with that.
  const letGo = () => {
    holder?.release(true);
    holder = null;
  };
  const watch = (connection: PoolClient) =>
    connection.once('end', () => {
      letGo();
      void afterLoss();
    });
  const { rows } = await client.query('SELECT installation_id FROM installation');
  watch(client);
  return {
    number,
    clientId: `energy-ingest-${environment}-${rows[0].installation_id}-${number}`,
    async note(isSubscribed) {
      await pool.query(
        `INSERT INTO ingest_slots VALUES ($1, $2) ON CONFLICT (number) DO UPDATE SET is_subscribed = excluded.is_subscribed`,
        [number, isSubscribed],
      );
    },
    async takeOrphan() {
      return onConnection(pool, async (fresh) => {
        const orphans = await fresh.query(
          'SELECT number FROM ingest_slots WHERE is_subscribed AND number <> $1 ORDER BY number',
          [number],
        );
        for (const orphan of orphans.rows) {
          if (!holder) return null;
          if (await tryLock(fresh, orphan.number)) return held(pool, fresh, orphan.number, environment);
        }
        return null;
      });
    },
    whenLost(onLost, log) {
      afterLoss = async () => {
        while (!released) {
          try {
            holder = await onConnection(pool, async (fresh) => ((await tryLock(fresh, number)) ? fresh : null));
            // Given back meanwhile.
            if (released) return letGo();
            return holder ? void watch(holder) : onLost();
          } catch (error) {
            log.debug({ err: error, slot: number }, 'slot not taken again yet');
            await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
          }
        }
      };
    },
    hasOthers: () => others(holder ?? pool, number),
    async release() {
      released = true;
      // First given back, then looked: whoever goes at the same time has given its own back, or will see that this one is.
      await holder?.query('SELECT pg_advisory_unlock($1, $2)', [ADVISORY_LOCKS.ingestSlot, number]).catch(() => {});
      const othersStay = await others(holder ?? pool, number).catch(() => false);
      letGo();
      return { othersStay };
    },
  };
}

async function others(client: Pick<PoolClient, 'query'>, number: number): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid <> $2 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS others`,
    [ADVISORY_LOCKS.ingestSlot, number],
  );
  return rows[0].others;
}

async function tryLock(client: PoolClient, number: number): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1, $2) AS mine', [
    ADVISORY_LOCKS.ingestSlot,
    number,
  ]);
  return rows[0].mine;
}
