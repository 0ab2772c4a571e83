import pg from 'pg';

/** Role of the server to which a pool connects. The servers are copies of each other; only the primary accepts writes. */
export type ServerRole = 'primary' | 'standby';

/**
 * Maximum time for a host to accept a new connection, if there are several hosts and the machine is not slow. Two attempts fit into the
 * pool's time limit for a connection.
 */
export const HOST_CONNECT_TIMEOUT_MS = 2_000;
/** Maximum factor by which time limits grow on a slow machine. With this factor, a host has 16 s to accept a connection. */
const MAX_SLOWNESS = 8;

/** The factor by which connections currently take longer than usual. */
class Slowness {
  factor = 1;

  /** Doubles the factor after a connection has timed out. */
  increase(): void {
    this.factor = Math.min(MAX_SLOWNESS, 2 * this.factor);
  }

  /** Lowers the factor so that the time limit becomes twice the measured time of a connection. Never raises the factor. */
  follow(tookMs: number): void {
    this.factor = Math.max(1, Math.min(this.factor, (2 * tookMs) / HOST_CONNECT_TIMEOUT_MS));
  }
}

const isTimeout = ({ message }: Error): boolean => /timeout/i.test(message);

/**
 * The search for the host in the wanted role. `ask` connects to a host and returns whether the host has the role; it throws if the host
 * does not respond. All hosts are queried concurrently, so a machine without power costs no extra time. The search also adapts time limits
 * to slow machines: on a busy machine, every connection could take longer than its limit, so that no attempt would succeed. The limits
 * double after a timeout, and later follow the connections that succeed. If another host responded, such as the standby of a hung primary,
 * the machine is not slow, and the limits do not change.
 */
export class DatabaseHosts {
  readonly #count: number;
  readonly #wanted: ServerRole;
  readonly #ask: (host: number) => Promise<boolean>;
  readonly #slowness = new Slowness();
  #known: number | null = null;
  #underWay: Promise<number> | null = null;
  /** Whether the cached host has responded to a search, but no connection to it has been established since. */
  #isNew = false;

  constructor(count: number, wanted: ServerRole, ask: (host: number) => Promise<boolean>) {
    this.#count = count;
    this.#wanted = wanted;
    this.#ask = ask;
  }

  /** Factor for time limits of connections, 1 to `MAX_SLOWNESS`. */
  get slowness(): number {
    return this.#slowness.factor;
  }

  /**
   * Returns the number of the host in the wanted role: the cached host or, if no host is cached, the first that now reports the role.
   * Throws if no host has the role.
   */
  async choose(): Promise<number> {
    return this.#known ?? this.search();
  }

  /** Queries all hosts, ignoring the cache. */
  search(): Promise<number> {
    this.#underWay ??= this.#find().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #find(): Promise<number> {
    const reasons: string[] = [];
    let [responses, timeouts] = [0, 0];
    const asked = Array.from({ length: this.#count }, async (_, host) => {
      const isWanted = await this.#ask(host).catch((error: Error) => {
        reasons[host] = error.message;
        if (isTimeout(error)) timeouts++;
        throw error;
      });
      if (isWanted) return host;
      responses++;
      reasons[host] = this.#wanted === 'primary' ? 'is a standby' : 'is no standby';
      throw new Error(reasons[host]);
    });
    try {
      this.#known = await Promise.any(asked);
      this.#isNew = true;
      return this.#known;
    } catch {
      if (timeouts > 0 && responses === 0) this.#slowness.increase();
      const each = reasons.map((reason, host) => `host ${host + 1}: ${reason}`).join('; ');
      const lacking = this.#wanted === 'primary' ? 'takes writes' : 'is a standby';
      throw new HostUnavailableError(`no host of the database ${lacking} (${each})`);
    }
  }

  /** Whether the host now has the wanted role. False if it does not respond. */
  isWanted(host: number): Promise<boolean> {
    return this.#ask(host).catch(() => false);
  }

  /**
   * If `host` is the cached host, invalidates the cache, because the host is down or has changed its role. `error`: reason why a connection
   * to the host failed.
   */
  forget(host: number, error?: Error): void {
    if (this.#known !== host) return;
    if (this.#isNew && error && isTimeout(error)) this.#slowness.increase();
    this.#known = null;
  }

  /** Records how long it took to establish a connection. */
  connected(tookMs: number): void {
    this.#isNew = false;
    this.#slowness.follow(tookMs);
  }
}

/** Thrown if a host is down or does not have the wanted role. The caller retries. */
export class HostUnavailableError extends Error {
  override name = 'HostAway';
  /** SQLSTATE cannot_connect_now: the server does not accept connections yet. */
  readonly code = '57P03';
}

/**
 * SQLSTATE read_only_sql_transaction: a write on a standby, on a primary that has become a standby, or in a database
 * that a move has closed.
 */
const READ_ONLY = '25006';
/** Settings that a server reports when a session begins, and again when they change (PostgreSQL 14 and later). */
type Said = Partial<Record<'in_hot_standby' | 'default_transaction_read_only', string>>;

/** A connection that detects whether its server's role has changed since the connection began. */
export class RoleWatchingClient extends pg.Client {
  protected said: Said = {};
  /** Whether the connection must not be reused: its server no longer accepts writes, or is no longer a standby. */
  isUseless = false;
  /** Time (performance.now()) at which the statement began that is waiting for its result. Null if no statement is running. */
  busySinceMs: number | null = null;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { query } = this;
    this.query = ((...given: Parameters<typeof query>) => {
      this.busySinceMs ??= performance.now();
      return query.apply(this, given);
    }) as typeof query;
    this.connection.on('readyForQuery', () => {
      if (this.busySinceMs !== null) this.busySinceMs = performance.now();
    });
    this.on('drain', () => {
      this.busySinceMs = null;
    });
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      const before = this.said[parameterName as keyof Said];
      this.said[parameterName as keyof Said] = parameterValue;
      if (parameterName === 'in_hot_standby' && before !== undefined && before !== parameterValue) this.becomeUseless();
    });
    this.connection.on('errorMessage', ({ code }) => {
      // In a database that a move has closed, a new connection would get the same error, and the existing one can still read. It therefore
      // remains open.
      const isClosed = this.said.default_transaction_read_only === 'on';
      if (code === READ_ONLY && !isClosed) this.becomeUseless();
    });
  }

  protected becomeUseless(): void {
    this.isUseless = true;
  }
}

/** Errors of failed connections to the host that the search chose. After such an error, another host may accept a connection. */
export const FAILED_CONNECTION_ERRORS = new WeakSet<object>();

type Connected = ((error: Error) => void) & ((error: null, client: pg.Client) => void);

/** Creates the class of a pool's connections, which go to the host in the wanted role. `urls` has one URL for each host. */
export function createHostsClient(urls: readonly string[], wanted: ServerRole, hosts: DatabaseHosts) {
  const addresses = urls
    .map((connectionString) => new pg.Client({ connectionString }))
    .map(({ host, port }) => ({ host, port }));

  return class HostClient extends RoleWatchingClient {
    /** Number of the host to which the client is connected; -1 before the connection. */
    hostNumber = -1;

    constructor(config?: pg.ClientConfig) {
      super({
        ...config,
        connectionString: urls[0],
        connectionTimeoutMillis: HOST_CONNECT_TIMEOUT_MS * hosts.slowness,
      });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = this.#connect();
      if (!callback) return connected;
      connected.then((client) => callback(null, client), callback);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      this.hostNumber = await hosts.choose();
      Object.assign(this, addresses[this.hostNumber]);
      const fromMs = performance.now();
      try {
        await super.connect();
        if (!(await this.#isWanted()))
          throw new HostUnavailableError(`the host is ${wanted === 'primary' ? 'a' : 'no'} standby`);
      } catch (error) {
        hosts.forget(this.hostNumber, error as Error);
        FAILED_CONNECTION_ERRORS.add(error as object);
        // The pool only drops its reference to a failed connection, so the connection is also closed at the server.
        void this.end().catch(() => {});
        throw error;
      }
      hosts.connected(performance.now() - fromMs);
      this.on('error', () => hosts.forget(this.hostNumber));
      return this;
    }

    async #isWanted(): Promise<boolean> {
      // Raw SQL: the statement reads a setting of the server, which a connection pooler between service and server does not report.
      this.said.in_hot_standby ??= (await this.query('SHOW in_hot_standby')).rows[0].in_hot_standby as string;
      return (this.said.in_hot_standby === 'on') === (wanted === 'standby');
    }

    protected override becomeUseless(): void {
      super.becomeUseless();
      hosts.forget(this.hostNumber);
    }
  };
}

/** Checks over a new connection whether one host has the wanted role. */
export async function isHostInRole(config: pg.ClientConfig, wanted: ServerRole): Promise<boolean> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    // Raw SQL: the statement reads only the role of the server, not the service's tables.
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS "isStandby"');
    return rows[0].isStandby === (wanted === 'standby');
  } finally {
    await client.end();
  }
}
