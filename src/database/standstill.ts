import type pg from 'pg';
import { HostUnavailableError, RoleWatchingClient } from './hosts.ts';

/** Time, in ms, for which a statement or a request for a connection waits before the pool probes its server. */
const SUSPECT_MS = 1_000;
const LOOK_MS = 250;
/**
 * Time limit of a probe. If a server accepts no new connection within this time, it counts as not responding. With the wait before the
 * probe, callers are refused within 5 s. A busy server needs tens of milliseconds.
 */
export const STANDSTILL_PROBE_TIMEOUT_MS = 3_000;
/** Time after a successful probe during which the server is not probed again. A statement may take long although the server responds. */
const TRUSTED_MS = 2_000;

type Got = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

/** Hands a connection to the caller as `Pool.connect` does: through the callback if there is one, otherwise as a promise. */
export function returnConnection(
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
 * Refuses the callers of a pool while the pool's server does not respond. A machine or process that is stopped closes no connection and
 * accepts new ones, so statements would wait until it resumes. Instead, the statements fail with HostUnavailableError, their connections
 * are closed, and requests for a connection fail at once until the server responds again. `probe` connects to the server and runs a
 * statement. It resolves or rejects when the server responds; if there is no response, it rejects after STANDSTILL_PROBE_TIMEOUT_MS, with a
 * message about a timeout.
 */
export function refuseConnectionsWhileServerHangs(pool: pg.Pool, probe: () => Promise<unknown>): void {
  const clients = new Set<RoleWatchingClient>();
  /** Callers that are waiting for a connection. */
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
          // The pool has already refused this caller while the connection was being established, so the connection is not needed.
          client.release();
        }, reject)
        .finally(() => waiting.delete(one));
    });
  pool.connect = ((callback?: Got) => returnConnection(connectWhileMoving(), callback)) as typeof pool.connect;

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

/** Whether the server responds to a probe in time, whatever the result. */
function isAnswered(probed: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    probed.then(
      () => resolve(true),
      (error: Error) => resolve(!/timeout/i.test(error.message)),
    );
    // Data that arrived while the process was busy are read before the server counts as not responding.
    setTimeout(() => setImmediate(() => setImmediate(resolve, false)), STANDSTILL_PROBE_TIMEOUT_MS).unref();
  });
}
