import { FairShareCapacity } from '#src/core/fair-share-capacity.ts';
import { HOUR_MS } from '#src/core/units.ts';

/** Approximate memory in bytes of a session without its name. */
const SESSION_BYTES = 300;
/** Approximate memory in bytes of one message. */
const MESSAGE_BYTES = 48;
/** Maximum memory in bytes of a login: about 2,600 messages. */
const MAX_LOGIN_BYTES = 128 * 1_024;
/** Maximum memory in bytes of all logins. The accounts share it. */
const MAX_BYTES = 16 * 2 ** 20;
/** Time in ms for which a persistent session is stored after its last message. In MQTT 3.1.1 the server chooses it (3.1.2.4). */
export const SESSION_LIFETIME_MS = 24 * HOUR_MS;

export const getSessionId = (username: string, clientId: string): string => `${username}/${clientId}`;
export const getLoginOfSession = (id: string): string => id.slice(0, id.indexOf('/'));

/** Called when the message is committed, or with an error if its session is dropped before the commit. */
type Known = (error?: Error) => void;

interface Received {
  isCommitted: boolean;
  /** Callbacks of connections that repeated the message before it was committed. */
  waiting: Known[];
}

interface OfSession {
  account: string;
  bytes: number;
  lastAtMs: number;
  messages: Map<number, Received>;
  /** Set for a stored session of MQTT 5. `untilMs`: time of its expiry; Infinity while its client is connected. */
  stored?: { untilMs: number; topics: readonly string[] };
}

/**
 * Ids of QoS 2 messages that were received and not released yet (MQTT 3.1.1, 4.3.3). They show whether a message is a repetition. The
 * memory of each login is limited; beyond the limit, its least recently used sessions lose their ids. Also stores MQTT 5 sessions that
 * outlast their connection. `now`: monotonic clock, ms.
 */
export class UnreleasedMessages {
  readonly #sessions = new Map<string, OfSession>();
  readonly #logins = new Map<string, { ids: Set<string>; bytes: number }>();
  readonly #shares = new FairShareCapacity(MAX_BYTES);
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  bytesOf(username: string): number {
    return this.#logins.get(username)?.bytes ?? 0;
  }

  store(
    id: string,
    { account, topics, lifetimeMs }: { account: string; topics: Iterable<string>; lifetimeMs: number },
  ): void {
    try {
      this.#sessionOf(id, account, 0).stored = { untilMs: this.#now() + lifetimeMs, topics: [...topics] };
    } catch {
      // There is no room, so the session is not stored.
    }
  }

  /**
   * Returns whether an MQTT 5 session is stored. If so, adds its subscriptions to `topics`, and the session does not expire while its
   * client is connected.
   */
  resume(id: string, topics: Set<string>): boolean {
    const { stored } = this.#sessions.get(id) ?? {};
    if (!stored || stored.untilMs <= this.#now()) return false;
    for (const topic of stored.topics) topics.add(topic);
    stored.untilMs = Number.POSITIVE_INFINITY;
    return true;
  }

  topicsOf(id: string): readonly string[] {
    return this.#sessions.get(id)?.stored?.topics ?? [];
  }

  has(id: string, messageId: number): boolean {
    return this.#sessions.get(id)?.messages.has(messageId) ?? false;
  }

  /**
   * Returns whether a message is a repetition. If so, `known` is called when the first delivery is committed or dropped. If not, records
   * the message; the caller must call `commit` after its commit. Throws if the login has no memory left.
   */
  isRepeated(id: string, messageId: number, account: string, known: Known): boolean {
    const received = this.#sessions.get(id)?.messages.get(messageId);
    if (!received) {
      this.#add(id, messageId, account);
      return false;
    }
    if (received.isCommitted) known();
    else received.waiting.push(known);
    return true;
  }

  commit(id: string, messageId: number): void {
    const received = this.#sessions.get(id)?.messages.get(messageId);
    if (!received) return;
    received.isCommitted = true;
    for (const known of received.waiting.splice(0)) known();
  }

  /** Removes a message that the client has released. Returns whether it was recorded. */
  release(id: string, messageId: number): boolean {
    const session = this.#sessions.get(id);
    if (!session?.messages.delete(messageId)) return false;
    if (session.messages.size === 0 && !session.stored) this.drop(id);
    else this.#grow(id, session, -MESSAGE_BYTES);
    return true;
  }

  drop(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#grow(id, session, -session.bytes);
    this.#sessions.delete(id);
    const login = this.#logins.get(getLoginOfSession(id));
    login?.ids.delete(id);
    if (login?.ids.size === 0) this.#logins.delete(getLoginOfSession(id));
    // Connections that wait for this message get an error, so that they do not wait forever.
    const dropped = new Error('the messages of the session at QoS 2 were dropped');
    for (const { waiting } of session.messages.values()) for (const known of waiting.splice(0)) known(dropped);
  }

  dropLogin(username: string): void {
    for (const id of [...(this.#logins.get(username)?.ids ?? [])]) this.drop(id);
  }

  expire(): void {
    const nowMs = this.#now();
    for (const [id, { lastAtMs, stored }] of this.#sessions)
      if ((stored?.untilMs ?? lastAtMs + SESSION_LIFETIME_MS) <= nowMs) this.drop(id);
  }

  #add(id: string, messageId: number, account: string): void {
    this.#sessionOf(id, account, MESSAGE_BYTES).messages.set(messageId, { isCommitted: false, waiting: [] });
  }

  /** Returns a session with room for further bytes, and creates it if necessary. Throws if there is no room. */
  #sessionOf(id: string, account: string, bytes: number): OfSession {
    const known = this.#sessions.get(id);
    const ownBytes = known ? 0 : SESSION_BYTES + 2 * id.length;
    const session = known ?? { account, bytes: 0, lastAtMs: 0, messages: new Map() };
    const login = this.#logins.get(getLoginOfSession(id)) ?? { ids: new Set<string>(), bytes: 0 };
    this.#makeRoom(id, login, ownBytes + bytes);
    if (!this.#shares.hasRoom(account, ownBytes + bytes))
      throw new Error('too many messages of the account at QoS 2 are not released');
    this.#logins.set(getLoginOfSession(id), login);
    login.ids.delete(id);
    login.ids.add(id);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.lastAtMs = this.#now();
    this.#grow(id, session, ownBytes + bytes);
    return session;
  }

  /**
   * Drops other sessions of the login, least recently used first, until there is room. Throws if dropping all of them does not make enough
   * room.
   */
  #makeRoom(id: string, login: { ids: Set<string>; bytes: number }, bytes: number): void {
    for (const oldest of login.ids) {
      if (login.bytes + bytes <= MAX_LOGIN_BYTES) return;
      if (oldest !== id) this.drop(oldest);
    }
    if (login.bytes + bytes > MAX_LOGIN_BYTES)
      throw new Error('too many messages of the login at QoS 2 are not released');
  }

  #grow(id: string, session: OfSession, bytes: number): void {
    session.bytes += bytes;
    const login = this.#logins.get(getLoginOfSession(id));
    if (login) login.bytes += bytes;
    if (bytes > 0) this.#shares.take(session.account, bytes);
    else this.#shares.give(session.account, -bytes);
  }
}
