import pg from 'pg';
import {
  createHostsClient,
  DatabaseHosts,
  FAILED_CONNECTION_ERRORS,
  HOST_CONNECT_TIMEOUT_MS,
  HostUnavailableError,
  isHostInRole,
  type ServerRole,
} from './hosts.ts';
import { passConnectionToCaller } from './standstill.ts';

/** After this time in ms, the pool checks whether the server of a running statement still has the wanted role. */
const STUCK_MS = 5_000;

const LOOK_EVERY_MS = 2_000;

function searchAmong(urls: readonly string[], wanted: ServerRole, { types: _, ...settings }: pg.PoolConfig) {
  const hosts: DatabaseHosts = new DatabaseHosts(urls.length, wanted, (host) => {
    const limitMs = HOST_CONNECT_TIMEOUT_MS * hosts.slowness;
    const limits = { connectionTimeoutMillis: limitMs, query_timeout: limitMs };
    return isHostInRole({ ...settings, connectionString: urls[host], ...limits }, wanted);
  });
  return hosts;
}

/**
 * Creates a pool for several hosts. Connections go to the host in the wanted role. If a statement takes long, its server may hang, so the
 * pool checks the roles of all hosts. If another host now has the role, the pool closes its connections to the former one.
 */
export function createHostsPool(urls: readonly string[], wanted: ServerRole, options: pg.PoolConfig): pg.Pool {
  const hosts = searchAmong(urls, wanted, options);
  const HostClient = createHostsClient(urls, wanted, hosts);
  const { connectionTimeoutMillis: usualMs = 0 } = options;
  type HostClient = InstanceType<typeof HostClient>;
  const connections = new Set<HostClient>();

  class HostsPool extends pg.Pool {
    override connect(): Promise<pg.PoolClient>;
    override connect(callback: Parameters<typeof passConnectionToCaller>[1]): void;
    override connect(callback?: Parameters<typeof passConnectionToCaller>[1]): Promise<pg.PoolClient> | undefined {
      return passConnectionToCaller(this.#connectAgain(), callback);
    }

    /** Connects to the host in the wanted role, and retries with longer time limits. */
    async #connectAgain(): Promise<pg.PoolClient> {
      for (let isFirst = true; ; isFirst = false) {
        const before = hosts.slowness;
        this.options.connectionTimeoutMillis = usualMs * before;
        try {
          return await super.connect();
        } catch (error) {
          // The failed attempt has cleared the cached host, so the next attempt searches for a host again.
          const { cause = error } = error as Error;
          const isOfHost =
            FAILED_CONNECTION_ERRORS.has(error as object) || FAILED_CONNECTION_ERRORS.has(cause as object);
          if (!(isFirst && isOfHost) && hosts.slowness <= before) throw error;
        }
      }
    }
  }

  const pool = new HostsPool({ ...options, Client: HostClient });
  pool.on('connect', (client) => {
    if (client instanceof HostClient) connections.add(client);
  });
  pool.on('remove', (client) => {
    if (client instanceof HostClient) connections.delete(client);
  });

  const looking = setInterval(() => {
    if (pool.ending) return clearInterval(looking);
    const isStuck = [...connections].some(
      ({ busySinceMs }) => busySinceMs !== null && busySinceMs < performance.now() - STUCK_MS,
    );
    // If no host has the wanted role, the connections remain open.
    if (isStuck) void endFormerConnections(hosts, connections).catch(() => {});
  }, LOOK_EVERY_MS);
  looking.unref();
  return pool;
}

/** Closes the connections to hosts that no longer have the wanted role. Throws if no host has it. */
async function endFormerConnections(
  hosts: DatabaseHosts,
  connections: ReadonlySet<pg.Client & { hostNumber: number }>,
): Promise<void> {
  const now = await hosts.search();
  const former = new Set<number>();
  for (const host of new Set([...connections].map(({ hostNumber }) => hostNumber)))
    if (host !== now && !(await hosts.isWanted(host))) former.add(host);
  for (const client of connections) {
    if (former.has(client.hostNumber))
      client.connection.stream.destroy(new HostUnavailableError('another host of the database has taken over'));
  }
}
