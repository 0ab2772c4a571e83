import { MINUTE_MS } from '#src/core/units.ts';

/**
 * Maximum number of connections of one login. Each connection may hold an incomplete packet of 1 MiB in memory. A further connection ends
 * the oldest one.
 */
const MAX_CONNECTIONS = 20;
/**
 * Maximum number of requests of a login per minute: logins, subscriptions, unsubscriptions and bridge states. A device that reconnects
 * every second sends fewer.
 */
const MAX_REQUESTS = 120;
/**
 * Maximum number, and maximum bytes, of a login's messages that wait for their commit. If a login reaches one of them, nothing is read from
 * its connections.
 */
const MAX_IN_FLIGHT = 4_000;
const MAX_IN_FLIGHT_BYTES = 8 * 2 ** 20;
/**
 * Maximum number of concurrent login queries. A worker has eight database connections. Clients that constantly reconnect must leave some of
 * them for the writers.
 */
const MAX_LOOKUPS = 3;

/** A connection that counts towards the limits of a login. */
export interface LoginConnection {
  end(): void;
  /** Resumes reading from the connection, unless another limit requires it to stay paused. */
  readOn(): void;
  /** Ends the connection because its device or gateway is now connected to another process. */
  moveAway(): void;
}

/** Connections, requests and uncommitted messages of one login, whatever its client ids are. */
export class LoginUsage {
  readonly username: string;
  /** The login's connections, oldest first. */
  readonly connections = new Set<LoginConnection>();
  /** Whether reading from all connections of the login is paused because too many of its messages wait for their commit. */
  isHeld = false;
  requests = { minute: 0, count: 0 };
  #inFlight = 0;
  #bytes = 0;

  constructor(username: string) {
    this.username = username;
  }

  /** Adds a message that now waits for its commit to the counts. */
  take(bytes: number): void {
    this.#inFlight++;
    this.#bytes += bytes;
    if (this.#inFlight >= MAX_IN_FLIGHT || this.#bytes >= MAX_IN_FLIGHT_BYTES) this.isHeld = true;
  }

  /** Removes a committed message from the counts. */
  give(bytes: number): void {
    this.#inFlight--;
    this.#bytes -= bytes;
    if (!this.isHeld || this.#inFlight >= MAX_IN_FLIGHT / 2 || this.#bytes >= MAX_IN_FLIGHT_BYTES / 2) return;
    this.isHeld = false;
    for (const connection of this.connections) connection.readOn();
  }

  get isIdle(): boolean {
    return this.connections.size === 0 && this.#inFlight === 0;
  }
}

/**
 * Limits for each login. Limits for each client id would be useless, because clients choose their client ids. `now`: monotonic clock, ms.
 */
export class LoginLimits {
  readonly #logins = new Map<string, LoginUsage>();
  readonly #waiting: (() => void)[] = [];
  #lookups = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a login query as soon as fewer than `MAX_LOOKUPS` queries are running. Queries wait in order of arrival. */
  async lookUp<T>(look: () => Promise<T>): Promise<T> {
    if (this.#lookups >= MAX_LOOKUPS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#lookups++;
    try {
      return await look();
    } finally {
      // The next waiting query takes the place of this one, so the number of running queries stays the same.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#lookups--;
    }
  }

  /**
   * Whether a login has sent the maximum number of requests in this minute. Refused login attempts are not requests, so that a stranger
   * cannot lock out a device.
   */
  isOver(username: string): boolean {
    const login = this.#logins.get(username);
    return login !== undefined && this.#requestsOf(login).count >= MAX_REQUESTS;
  }

  /** Counts a request. Returns the reason why the connection must end, or null if it need not. */
  request(login: LoginUsage): string | null {
    return ++this.#requestsOf(login).count > MAX_REQUESTS ? `more than ${MAX_REQUESTS} requests in a minute` : null;
  }

  /** Returns the usage of a login. Creates it if the login has none yet. */
  of(username: string): LoginUsage {
    const login = this.#logins.get(username) ?? new LoginUsage(username);
    this.#logins.set(username, login);
    return login;
  }

  /** Returns the connections of a login, oldest first. */
  connectionsOf(username: string): readonly LoginConnection[] {
    return [...(this.#logins.get(username)?.connections ?? [])];
  }

  /** Adds a connection. Returns the connection that must end because there are now too many, or null. */
  join({ connections }: LoginUsage, connection: LoginConnection): LoginConnection | null {
    const [oldest = null] = connections.size >= MAX_CONNECTIONS ? connections : [];
    if (oldest) connections.delete(oldest);
    connections.add(connection);
    return oldest;
  }

  /** Evicts the usage of logins without connections, waiting messages and requests in the current minute. */
  sweep(): void {
    for (const login of this.#logins.values())
      if (login.isIdle && this.#requestsOf(login).count === 0) this.#logins.delete(login.username);
  }

  #requestsOf(login: LoginUsage): LoginUsage['requests'] {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (login.requests.minute !== minute) login.requests = { minute, count: 0 };
    return login.requests;
  }
}
