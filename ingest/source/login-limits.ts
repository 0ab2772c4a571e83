import { MINUTE_MS } from '#src/core/units.ts';

/** Maximum number of connections of one login. A further connection ends the oldest one. */
const MAX_CONNECTIONS = 20;
/** Maximum number of requests of a login per minute. A device that reconnects every second sends fewer. */
const MAX_REQUESTS = 120;
/** Maximum number and bytes of a login's uncommitted messages. Beyond these limits, its connections are not read. */
const MAX_IN_FLIGHT = 4_000;
const MAX_IN_FLIGHT_BYTES = 8 * 2 ** 20;
/** Maximum number of concurrent login queries, so that clients that constantly reconnect leave database connections for the writers. */
const MAX_LOOKUPS = 3;

export interface LoginConnection {
  end(): void;
  /** Resumes reading, unless another limit applies. */
  readOn(): void;
  /** Ends the connection because its device is now connected to another process. */
  moveAway(): void;
}

/** The connections, requests and uncommitted messages of one login. */
export class LoginUsage {
  readonly username: string;
  readonly connections = new Set<LoginConnection>();
  /** Whether its connections are paused because too many messages are uncommitted. */
  isHeld = false;
  requests = { minute: 0, count: 0 };
  #inFlight = 0;
  #bytes = 0;

  constructor(username: string) {
    this.username = username;
  }

  /** Counts a message that is not committed yet. */
  take(bytes: number): void {
    this.#inFlight++;
    this.#bytes += bytes;
    if (this.#inFlight >= MAX_IN_FLIGHT || this.#bytes >= MAX_IN_FLIGHT_BYTES) this.isHeld = true;
  }

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

/** The limits apply to logins and not to client ids, because clients choose their client ids. `now`: monotonic clock, ms. */
export class LoginLimits {
  readonly #logins = new Map<string, LoginUsage>();
  readonly #waiting: (() => void)[] = [];
  #lookups = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Runs a login query as soon as fewer than `MAX_LOOKUPS` are running. */
  async lookUp<T>(look: () => Promise<T>): Promise<T> {
    if (this.#lookups >= MAX_LOOKUPS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#lookups++;
    try {
      return await look();
    } finally {
      // The next waiting query starts, so the number of running queries stays the same.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#lookups--;
    }
  }

  /** Whether a login has used up its requests of this minute. Refused logins do not count; otherwise a stranger could lock out a device. */
  isOver(username: string): boolean {
    const login = this.#logins.get(username);
    return login !== undefined && this.#requestsOf(login).count >= MAX_REQUESTS;
  }

  /** Counts a request. Returns the reason why the connection must end, or null. */
  request(login: LoginUsage): string | null {
    return ++this.#requestsOf(login).count > MAX_REQUESTS ? `more than ${MAX_REQUESTS} requests in a minute` : null;
  }

  of(username: string): LoginUsage {
    const login = this.#logins.get(username) ?? new LoginUsage(username);
    this.#logins.set(username, login);
    return login;
  }

  connectionsOf(username: string): readonly LoginConnection[] {
    return [...(this.#logins.get(username)?.connections ?? [])];
  }

  /** Adds a connection. If the login then has too many connections, returns the one that must end; otherwise null. */
  join({ connections }: LoginUsage, connection: LoginConnection): LoginConnection | null {
    const [oldest = null] = connections.size >= MAX_CONNECTIONS ? connections : [];
    if (oldest) connections.delete(oldest);
    connections.add(connection);
    return oldest;
  }

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
