import type pg from 'pg';
import { HostUnavailableError, RoleWatchingClient } from './hosts.ts';

/** Time in ms after which the pool checks the server of a waiting statement. */
const SUSPECT_MS = 1_000;
const LOOK_MS = 250;
/** If a server accepts no connection within this time (ms), it counts as hanging. A busy server needs tens of milliseconds. */
export const STANDSTILL_PROBE_TIMEOUT_MS = 3_000;
/**
 * Time in ms for which the server is not checked again after a successful check. A statement may take long although the server responds.
 */
const TRUSTED_MS = 2_000;

type Got = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

export function passConnectionToCaller(
  connected: Promise<pg.PoolClient>,
  callback?: Got,
): Promise<pg.PoolClient> | undefined {
  if (!callback) return connected;
  connected.then(
    (client) => callback(undefined, client, (error) => client.release(error as Error)),
    (error) => callback(error, undefined, () => {}),
  );
  return undefined;
}

/**
 * Refuses the callers of a pool while its server hangs. A stopped machine closes no connection, so statements would wait until it resumes;
 * instead they fail with HostUnavailableError. `probe` connects to the server and runs a statement; without a response, it rejects after
 * STANDSTILL_PROBE_TIMEOUT_MS.
 */
export function refuseConnectionsWhileServerHangs(pool: pg.Pool, probe: () => Promise<unknown>): void {
  const clients = new Set<RoleWatchingClient>();
  const waiting = new Set<{ sinceMs: number; refuse(error: Error): void }>();
  let isStill = false;
  let isProbing = false;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  pool.on('connect', (client) => {
    if (client instanceof RoleWatchingClient) clients.add(client);
  });
  pool.on('remove', (client) => {
    if (client instanceof RoleWatchingClient) clients.delete(client);
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
          // The pool has already refused this caller.
          client.release();
        }, reject)
        .finally(() => waiting.delete(one));
    });
  pool.connect = ((callback?: Got) => passConnectionToCaller(connectWhileMoving(), callback)) as typeof pool.connect;

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

const away = () => new HostUnavailableError('the database does not answer');

/** Whether the server responds in time, even with an error. */
function isAnswered(probed: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    probed.then(
      () => resolve(true),
      (error: Error) => resolve(!/timeout/i.test(error.message)),
    );
    // First reads data that arrived while this process was busy.
    setTimeout(() => setImmediate(() => setImmediate(resolve, false)), STANDSTILL_PROBE_TIMEOUT_MS).unref();
  });
}
