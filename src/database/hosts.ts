import pg from 'pg';

/** Which of several servers a pool's connections go to: copies of each other, of which one takes writes. */
export type Wanted = 'primary' | 'standby';

interface Hosts {
  /** The number of the host that is what is wanted: the one that was, or else the first that says so now. Throws where none does. */
  choose(): Promise<number>;
  /** Asks all of them now, whatever was the case. */
  search(): Promise<number>;
  /** Whether that host says now that it is what is wanted; not where it does not answer. */
  isWanted(host: number): Promise<boolean>;
  /** That host is away, or something else by now. */
  forget(host: number): void;
}

/**
 * `ask` connects to a host of that number and says whether it is what is wanted; it throws where it does not answer. All are asked
 * side by side: a machine without power, which answers nothing, costs no more time than the others take.
 */
export function createHosts(count: number, wanted: Wanted, ask: (host: number) => Promise<boolean>): Hosts {
  let known: number | null = null;
  let underWay: Promise<number> | null = null;

  async function find(): Promise<number> {
    const reasons: string[] = [];
    const asked = Array.from({ length: count }, async (_, host) => {
      const isWanted = await ask(host).catch((error: Error) => {
        reasons[host] = error.message;
        throw error;
      });
      if (isWanted) return host;
      reasons[host] = wanted === 'primary' ? 'is a standby' : 'is no standby';
      throw new Error(reasons[host]);
    });
    try {
      known = await Promise.any(asked);
      return known;
    } catch {
      const each = reasons.map((reason, host) => `host ${host + 1}: ${reason}`).join('; ');
      throw new HostAway(`no host of the database ${wanted === 'primary' ? 'takes writes' : 'is a standby'} (${each})`);
    }
  }

  function search(): Promise<number> {
    underWay ??= find().finally(() => {
      underWay = null;
    });
    return underWay;
  }

  return {
    choose: async () => known ?? search(),
    search,
    isWanted: (host) => ask(host).catch(() => false),
    forget(host) {
      if (known === host) known = null;
    },
  };
}

/** A host is away, or not what is wanted. Whoever asks tries again. */
export class HostAway extends Error {
  override name = 'HostAway';
  /** As a server says it that cannot be connected to now (cannot_connect_now). */
  readonly code = '57P03';
}

/** read_only_sql_transaction: a write on a server that is (or became) a standby, or in a database that was closed by a move. */
const READ_ONLY = '25006';
/** What a server says of itself when a session begins, and again when it changes (PostgreSQL 14 and later). */
type Said = Partial<Record<'in_hot_standby' | 'default_transaction_read_only', string>>;

/** A connection that knows whether its server still is what it was when it began. */
export class WatchedClient extends pg.Client {
  protected said: Said = {};
  /** Not to be used again: its server takes no writes any more, or is no standby any more. */
  isUseless = false;
  /** Since when a statement waits for an answer (performance.now()); null while none does. */
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
      // Of a database that was closed by a move the next connection would be told the same, and it answers reads.
      const isClosed = this.said.default_transaction_read_only === 'on';
      if (code === READ_ONLY && !isClosed) this.becomeUseless();
    });
  }

  protected becomeUseless(): void {
    this.isUseless = true;
  }
}

/** Connecting to the host that was chosen failed: another one may do. */
export const failedToConnect = new WeakSet<object>();

type Connected = ((error: Error) => void) & ((error: null, client: pg.Client) => void);

/** Connections of a pool to whichever of several hosts is what is wanted. `urls`: of each of them. */
export function clientOfHosts(urls: readonly string[], wanted: Wanted, hosts: Hosts, timeoutMs: number) {
  const addresses = urls
    .map((connectionString) => new pg.Client({ connectionString }))
    .map(({ host, port }) => ({ host, port }));

  return class HostClient extends WatchedClient {
    /** Which of the hosts it is connected to. */
    hostNumber = -1;

    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: urls[0], connectionTimeoutMillis: timeoutMs });
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
      try {
        await super.connect();
        if (!(await this.#isWanted())) throw new HostAway(`the host is ${wanted === 'primary' ? 'a' : 'no'} standby`);
      } catch (error) {
        hosts.forget(this.hostNumber);
        failedToConnect.add(error as object);
        // A pool forgets one that failed, without a word to its server.
        void this.end().catch(() => {});
        throw error;
      }
      this.on('error', () => hosts.forget(this.hostNumber));
      return this;
    }

    async #isWanted(): Promise<boolean> {
      // Raw SQL: a setting of the server, which a pooler between does not hand on.
      this.said.in_hot_standby ??= (await this.query('SHOW in_hot_standby')).rows[0].in_hot_standby as string;
      return (this.said.in_hot_standby === 'on') === (wanted === 'standby');
    }

    protected override becomeUseless(): void {
      super.becomeUseless();
      hosts.forget(this.hostNumber);
    }
  };
}

/** Asks one host whether it is what is wanted, by a connection of its own. */
export async function askHost(config: pg.ClientConfig, wanted: Wanted): Promise<boolean> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    // Raw SQL: asks nothing but what the server is.
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS "isStandby"');
    return rows[0].isStandby === (wanted === 'standby');
  } finally {
    await client.end();
  }
}
