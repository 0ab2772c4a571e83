import pg from 'pg';

/** Role of a server. Only the primary accepts writes. */
export type ServerRole = 'primary' | 'standby';

/** Maximum time in ms for a host to accept a connection, unless the machine is slow. */
export const HOST_CONNECT_TIMEOUT_MS = 2_000;
/** Maximum factor by which time limits grow on a slow machine. */
const MAX_SLOWNESS = 8;

/** How much longer than usual connections currently take. */
class Slowness {
  factor = 1;

  increase(): void {
    this.factor = Math.min(MAX_SLOWNESS, 2 * this.factor);
  }

  /** Lowers the factor, so that the time limit is twice the measured time of a connection. */
  follow(tookMs: number): void {
    this.factor = Math.max(1, Math.min(this.factor, (2 * tookMs) / HOST_CONNECT_TIMEOUT_MS));
  }
}

const isTimeout = ({ message }: Error): boolean => /timeout/i.test(message);

/**
 * Finds the host in the wanted role. Queries all hosts concurrently: `ask` returns whether a host has the role, and throws if it does not
 * respond. On a slow machine every connection could exceed its time limit. After a timeout, the limits are therefore doubled, unless
 * another host has responded.
 */
export class DatabaseHosts {
  readonly #count: number;
  readonly #wanted: ServerRole;
  readonly #ask: (host: number) => Promise<boolean>;
  readonly #slowness = new Slowness();
  #known: number | null = null;
  #underWay: Promise<number> | null = null;
  /** Whether no connection to the cached host has been established yet. */
  #isNew = false;

  constructor(count: number, wanted: ServerRole, ask: (host: number) => Promise<boolean>) {
    this.#count = count;
    this.#wanted = wanted;
    this.#ask = ask;
  }

  get slowness(): number {
    return this.#slowness.factor;
  }

  /** Returns the number of the cached host or, without one, of the first host that reports the wanted role. Throws if there is none. */
  async choose(): Promise<number> {
    return this.#known ?? this.search();
  }

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

  /** False if the host does not respond. */
  isWanted(host: number): Promise<boolean> {
    return this.#ask(host).catch(() => false);
  }

  /** Clears the cached host if it is `host`. `error`: why a connection to the host failed. */
  forget(host: number, error?: Error): void {
    if (this.#known !== host) return;
    if (this.#isNew && error && isTimeout(error)) this.#slowness.increase();
    this.#known = null;
  }

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

/** SQLSTATE read_only_sql_transaction: the server accepts no writes, for example because it is a standby. */
const READ_ONLY = '25006';
/** Settings that a server reports when a session begins and when they change. */
type Said = Partial<Record<'in_hot_standby' | 'default_transaction_read_only', string>>;

/** A connection that detects a change of its server's role. */
export class RoleWatchingClient extends pg.Client {
  protected said: Said = {};
  /** Whether the connection must not be reused, because its server has another role. */
  isUseless = false;
  /** Time (performance.now()) at which the running statement began. Null if none is running. */
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
      // If the database is closed for writing, a new connection could not write either. This connection can still read.
      const isClosed = this.said.default_transaction_read_only === 'on';
      if (code === READ_ONLY && !isClosed) this.becomeUseless();
    });
  }

  protected becomeUseless(): void {
    this.isUseless = true;
  }
}

/** Errors of failed connection attempts. After such an error, a connection to another host may succeed. */
export const FAILED_CONNECTION_ERRORS = new WeakSet<object>();

type Connected = ((error: Error) => void) & ((error: null, client: pg.Client) => void);

/** Creates the class of a pool's connections, which go to the host in the wanted role. */
export function createHostsClient(urls: readonly string[], wanted: ServerRole, hosts: DatabaseHosts) {
  const addresses = urls
    .map((connectionString) => new pg.Client({ connectionString }))
    .map(({ host, port }) => ({ host, port }));

  return class HostClient extends RoleWatchingClient {
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
        // The pool does not close failed connections.
        void this.end().catch(() => {});
        throw error;
      }
      hosts.connected(performance.now() - fromMs);
      this.on('error', () => hosts.forget(this.hostNumber));
      return this;
    }

    async #isWanted(): Promise<boolean> {
      // Raw SQL: queries the setting, because a connection pooler may not report it.
      this.said.in_hot_standby ??= (await this.query('SHOW in_hot_standby')).rows[0].in_hot_standby as string;
      return (this.said.in_hot_standby === 'on') === (wanted === 'standby');
    }

    protected override becomeUseless(): void {
      super.becomeUseless();
      hosts.forget(this.hostNumber);
    }
  };
}

/** Opens a new connection to a host, and returns whether the host has the wanted role. */
export async function isHostInRole(config: pg.ClientConfig, wanted: ServerRole): Promise<boolean> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    // Raw SQL: reads only the role of the server.
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS "isStandby"');
    return rows[0].isStandby === (wanted === 'standby');
  } finally {
    await client.end();
  }
}
