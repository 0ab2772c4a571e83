import type pg from 'pg';
import { HostAway, WatchedClient } from './hosts.ts';

/** A statement, or a new connection, that waits for longer than this makes the pool probe its server. */
const SUSPECT_MS = 1_000;
const LOOK_MS = 250;
/**
 * A server that does not answer a new connection in this time stands still. With the time before, and that of a request until then, its
 * callers are refused within 5 s; a busy server takes tens of milliseconds.
 */
export const PROBE_MS = 3_000;
/** A server that answers is not probed again for this time: a statement may take long. */
const TRUSTED_MS = 2_000;

type Got = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

/** A connection as `Pool.connect` answers it: by the callback where there is one. */
export function connectedBy(connected: Promise<pg.PoolClient>, callback?: Got): Promise<pg.PoolClient> | undefined {
  if (!callback) return connected;
  connected.then(
    (client) => callback(undefined, client, (error) => client.release(error as Error)),
    (error) => callback(error, undefined, () => {}),
  );
  return undefined;
}

/**
 * Refuses the callers of a pool while its server stands still: a machine or process that is stopped ends no connection and takes new ones, so
 * statements would wait for as long as it stands. They fail then (HostAway), with their connections, and so does who asks for a connection, at once, until
 * the server answers again. `probe` connects to the server and asks something; it resolves or rejects when that is answered, and
 * rejects with a message about a timeout, later than PROBE_MS, where it is not.
 */
export function refuseWhileStill(pool: pg.Pool, probe: () => Promise<unknown>): void {
  const clients = new Set<WatchedClient>();
  /** Those who wait for a connection. */
  const waiting = new Set<{ sinceMs: number; refuse(error: Error): void }>();
  let isStill = false;
  let isProbing = false;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  pool.on('connect', (client) => {
    if (client instanceof WatchedClient) clients.add(client);
  });
  pool.on('remove', (client) => {
    if (client instanceof WatchedClient) clients.delete(client);
  });

  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const connectWhileMoving = () =>
    new Promise<pg.PoolClient>((resolve, reject) => {
      if (isStill) return reject(away());
      const one = { sinceMs: performance.now(), refuse: reject };
      waiting.add(one);
      connect()
        .then((client) => {
          if (waiting.delete(one)) return resolve(client);
          // It was refused meanwhile.
          client.release();
        }, reject)
        .finally(() => waiting.delete(one));
    });
  pool.connect = ((callback?: Got) => connectedBy(connectWhileMoving(), callback)) as typeof pool.connect;

  const isSuspect = (nowMs: number) =>
    [...waiting].some(({ sinceMs }) => sinceMs < nowMs - SUSPECT_MS) ||
    [...clients].some(({ busySinceMs }) => busySinceMs !== null && busySinceMs < nowMs - SUSPECT_MS);
  const refuseAll = () => {
    for (const one of waiting) {
      waiting.delete(one);
      one.refuse(away());
    }
    for (const client of clients) client.connection.stream.destroy(away());
  };
  const look = async () => {
    const nowMs = performance.now();
    if (isProbing || (!isStill && (nowMs < answeredAtMs + TRUSTED_MS || !isSuspect(nowMs)))) return;
    isProbing = true;
    isStill = !(await isAnswered(probe()));
    isProbing = false;
    if (isStill) refuseAll();
    else answeredAtMs = performance.now();
  };
  const looking = setInterval(() => (pool.ending ? clearInterval(looking) : void look()), LOOK_MS);
  looking.unref();
}

const away = () => new HostAway('the database does not answer');

/** Whether a probe is answered in time, with whatever. */
function isAnswered(probed: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    probed.then(
      () => resolve(true),
      (error: Error) => resolve(!/timeout/i.test(error.message)),
    );
    // What came while this process was busy is read before it is judged.
    setTimeout(() => setImmediate(() => setImmediate(resolve, false)), PROBE_MS).unref();
  });
}
