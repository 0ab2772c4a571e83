import { MINUTE_MS } from '#src/core/units.ts';

/** Connections of one login: each may have a packet of 1 MiB half sent. For a further one the oldest ends. */
const MAX_CONNECTIONS = 20;
/** Logging in, subscribing, unsubscribing and a bridge's state, in a minute. A device that connects anew each second is below it. */
const MAX_REQUESTS = 120;
/** Messages of one login, over all its connections, that may wait for their commit before these are no longer read; and their bytes. */
const MAX_IN_FLIGHT = 4_000;
const MAX_IN_FLIGHT_BYTES = 8 * 2 ** 20;
/** Logins that are looked up at a time, of the eight connections to the database that a worker has: whoever connects again and again leaves the others to what is written. */
const MAX_LOOKUPS = 3;

/** A connection of a login. */
export interface Connected {
  /** Ends it. */
  end(): void;
  /** Reads on, as far as nothing else holds it. */
  readOn(): void;
}

/** What one login has under way, over all its connections and client ids. */
export class Login {
  readonly username: string;
  /** The oldest first. */
  readonly connections = new Set<Connected>();
  /** Whether so much waits that its connections are not read. */
  isHeld = false;
  requests = { minute: 0, count: 0 };
  #inFlight = 0;
  #bytes = 0;

  constructor(username: string) {
    this.username = username;
  }

  /** A message waits for its commit. */
  take(bytes: number): void {
    this.#inFlight++;
    this.#bytes += bytes;
    if (this.#inFlight >= MAX_IN_FLIGHT || this.#bytes >= MAX_IN_FLIGHT_BYTES) this.isHeld = true;
  }

  /** It is committed. */
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

/** What logins have under way, each bounded by itself: a client id is nothing that bounds anybody. `now`: ms, of a clock that never goes back. */
export class Logins {
  readonly #logins = new Map<string, Login>();
  readonly #waiting: (() => void)[] = [];
  #lookups = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Looks a login up, in turn. */
  async lookUp<T>(look: () => Promise<T>): Promise<T> {
    if (this.#lookups >= MAX_LOOKUPS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#lookups++;
    try {
      return await look();
    } finally {
      // The next one takes this one's place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#lookups--;
    }
  }

  /** Whether it has had its requests of this minute. Only those that were right count: a stranger shuts nobody out. */
  isOver(username: string): boolean {
    const login = this.#logins.get(username);
    return login !== undefined && this.#requestsOf(login).count >= MAX_REQUESTS;
  }

  /** Counts a request. Answers why the connection must end; null where it may go on. */
  request(login: Login): string | null {
    return ++this.#requestsOf(login).count > MAX_REQUESTS ? `more than ${MAX_REQUESTS} requests in a minute` : null;
  }

  /** A login by its name. */
  of(username: string): Login {
    const login = this.#logins.get(username) ?? new Login(username);
    this.#logins.set(username, login);
    return login;
  }

  /** Adds a connection; answers the one that is to end for it. */
  join({ connections }: Login, connection: Connected): Connected | null {
    const [oldest = null] = connections.size >= MAX_CONNECTIONS ? connections : [];
    if (oldest) connections.delete(oldest);
    connections.add(connection);
    return oldest;
  }

  /** Forgets those that have nothing under way and made no requests in this minute. */
  sweep(): void {
    for (const login of this.#logins.values())
      if (login.isIdle && this.#requestsOf(login).count === 0) this.#logins.delete(login.username);
  }

  #requestsOf(login: Login): Login['requests'] {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (login.requests.minute !== minute) login.requests = { minute, count: 0 };
    return login.requests;
  }
}
