import pg from 'pg';
import { askHost, clientOfHosts, createHosts, failedToConnect, HostAway, type Wanted } from './hosts.ts';
import { connectedBy } from './standstill.ts';

/**
 * How long a host may take to answer a new connection, where there are others: twice it is within the time that a pool gives a
 * connection to be there.
 */
const ANSWER_MS = 2_000;

/** A statement that takes longer makes the pool look whether the server it runs on is still the one: it may never answer. */
const STUCK_MS = 5_000;

const LOOK_EVERY_MS = 2_000;

/**
 * A pool whose connections go to whichever of several hosts is what is wanted, and to another one after a failover. A server that
 * hangs, or a machine without power, ends no connection: where a statement takes long, another host says that it is what is wanted, and the one
 * that it runs on no longer does, the connections to that one end. (Of several standbys each is wanted.)
 */
export function poolOfHosts(urls: readonly string[], wanted: Wanted, options: pg.PoolConfig): pg.Pool {
  const { types: _, ...settings } = options;
  const hosts = createHosts(urls.length, wanted, (host) =>
    askHost(
      { ...settings, connectionString: urls[host], connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS },
      wanted,
    ),
  );
  const HostClient = clientOfHosts(urls, wanted, hosts, ANSWER_MS);
  type HostClient = InstanceType<typeof HostClient>;
  const connections = new Set<HostClient>();

  class HostsPool extends pg.Pool {
    override connect(): Promise<pg.PoolClient>;
    override connect(callback: Parameters<typeof connectedBy>[1]): void;
    override connect(callback?: Parameters<typeof connectedBy>[1]): Promise<pg.PoolClient> | undefined {
      const connected = super.connect().catch((error: Error) => {
        // What was known is forgotten: the next one looks.
        if (failedToConnect.has(error) || failedToConnect.has((error.cause as object | undefined) ?? error))
          return super.connect();
        throw error;
      });
      return connectedBy(connected, callback);
    }
  }

  const pool = new HostsPool({ ...options, Client: HostClient });
  pool.on('connect', (client) => {
    if (client instanceof HostClient) connections.add(client);
  });
  pool.on('remove', (client) => {
    if (client instanceof HostClient) connections.delete(client);
  });

  async function endThoseOfTheFormer(): Promise<void> {
    const now = await hosts.search();
    const former = new Set<number>();
    for (const host of new Set([...connections].map(({ hostNumber }) => hostNumber)))
      if (host !== now && !(await hosts.isWanted(host))) former.add(host);
    for (const client of connections) {
      if (former.has(client.hostNumber))
        client.connection.stream.destroy(new HostAway('another host of the database has taken over'));
    }
  }
  const looking = setInterval(() => {
    if (pool.ending) return clearInterval(looking);
    const isStuck = [...connections].some(
      ({ busySinceMs }) => busySinceMs !== null && busySinceMs < performance.now() - STUCK_MS,
    );
    // Where none is found there is nothing to go to.
    if (isStuck) void endThoseOfTheFormer().catch(() => {});
  }, LOOK_EVERY_MS);
  looking.unref();
  return pool;
}
