import type { Logger } from '#src/core/log.ts';
import type { DeviceLoginOwner } from '#src/devices/credentials.ts';
import { type ClaimHandler, type ClaimOptions, createClaimHandlers } from './claiming.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { type LoginConnection, LoginLimits, LoginUsage } from './login-limits.ts';
import type { AedesClient, Mqtt5Connection } from './mqtt5.ts';
import { createPubackSender } from './pubacks.ts';
import { REASON_CODES, REASON_CODES_BY_RETURN_CODE } from './reason-codes.ts';
import { getSessionId, type UnreleasedMessages } from './unreleased-messages.ts';

/**
 * Maximum number of bytes that the service has sent to a client and the client has not read: messages to homes, and acknowledgements of
 * four bytes each.
 */
const MAX_UNREAD_BYTES = 65_536;

export type BrokerConnection = AedesClient & {
  conn: {
    writable: boolean;
    writableLength: number;
    remoteAddress?: string;
    write(data: Buffer, then?: () => void): boolean;
    once(event: 'close', then: () => void): void;
  };
  session?: BrokerSession;
  /** Translates the packets of the connection. Set only if the client uses MQTT 5. */
  version5?: Mqtt5Connection;
};

export interface SessionLogin {
  /** Id of the device, of the gateway, or of the batch of meters that claim their identities. */
  username: string;
  /** Account of the device or gateway; null for a batch of meters. */
  owner: DeviceLoginOwner | null;
  /** The client certificate used for the login; null if a password was used. */
  certificate: ClientCertificate | null;
  /** SHA-256 of the password used for the login; null if a certificate was used. */
  secretSha256: Buffer | null;
}

export class BrokerSession implements LoginConnection {
  readonly client: BrokerConnection;
  readonly by: SessionLogin;
  readonly login: LoginUsage;
  /** Set for the connection of a meter that is claiming its identity. Such a connection may do nothing else. */
  readonly claiming: { claims: ClaimHandler; sinceMs: number } | null;
  /** Whether the account has room for messages of this connection. */
  hasRoom: boolean;
  /** Whether a later connection has taken over the session. */
  isTakenOver = false;
  /** Whether the newer connection of the session is at another process. */
  isElsewhere = false;
  /**
   * Calls that are deferred while nothing is read from the connection: messages of bytes that were already read, and callbacks for which
   * aedes waits before it continues to read.
   */
  readonly #held: (() => void)[] = [];
  readonly #sendPuback: (messageId: number) => void;

  constructor(
    client: BrokerConnection,
    by: SessionLogin,
    { login, claiming, hasRoom }: Pick<BrokerSession, 'login' | 'claiming' | 'hasRoom'>,
  ) {
    this.client = client;
    this.by = by;
    this.login = login;
    this.claiming = claiming;
    this.hasRoom = hasRoom;
    const { conn } = client;
    this.#sendPuback = createPubackSender(() => (!client.closed && conn.writable ? (client.version5 ?? conn) : null));
  }

  /** Account whose limits apply to the messages of this connection. */
  get account(): string {
    return this.by.owner?.accountId ?? this.by.username;
  }

  /**
   * Calls `then` at once or, if reading from the connection is paused, when reading resumes. If the connection ends before that, `then` is
   * never called; its message was not acknowledged, so the client sends it again.
   */
  whenRead(then: () => void): void {
    if (this.#isHeld) this.#held.push(then);
    else then();
  }

  readOn(): void {
    while (!this.#isHeld && this.#held.length > 0) this.#held.shift()?.();
  }

  /**
   * Sends the PUBACK of a message if the connection is still open. If the client does not read its acknowledgements, ends the connection.
   */
  acknowledge(messageId: number): void {
    if (this.client.conn.writableLength > MAX_UNREAD_BYTES) this.end();
    else this.#sendPuback(messageId);
  }

  /** Ends the connection. A client of MQTT 5 receives the reason. */
  end(reasonCode: number = REASON_CODES.quotaExceeded): void {
    endConnection(this.client, reasonCode);
  }

  /** Ends the connection because its device or gateway is now connected to another process. */
  moveAway(): void {
    this.isTakenOver = true;
    this.isElsewhere = true;
    this.end(REASON_CODES.takenOver);
  }

  get #isHeld(): boolean {
    return !this.hasRoom || this.login.isHeld;
  }
}

/** Ends a connection, whether or not it has logged in. */
export function endConnection(client: BrokerConnection, reasonCode: number): void {
  const close = () => client.close();
  if (client.version5) client.version5.end(reasonCode, close);
  else if (!refuseConnect(client, reasonCode, close)) close();
}

/**
 * Answers the CONNECT of a client that does not use MQTT 5, if MQTT 3.1.1 has a return code for the reason: an unsupported protocol level
 * or a rejected client id must be answered before the connection ends (3.1.2-2, 3.1.3-8). Returns whether an answer was sent.
 */
export function refuseConnect({ session, conn }: BrokerConnection, reasonCode: number, then?: () => void): boolean {
  const returnCode = REASON_CODES_BY_RETURN_CODE.indexOf(reasonCode);
  if (session || returnCode === -1 || !conn.writable) return false;
  conn.write(Buffer.from([0x20, 2, 0, returnCode]), then);
  return true;
}

type LogRefusal = (username: string, why: string) => void;

/** All connections that have logged in. Each counts towards the limits of its login. */
export class LoggedInConnections {
  readonly open = new Set<BrokerSession>();
  readonly logins = new LoginLimits();
  /** The latest connection of each session. */
  readonly #latest = new Map<string, BrokerSession>();
  readonly #unreleased: UnreleasedMessages;
  readonly #claimingOf: ReturnType<typeof createClaimHandlers> | undefined;
  readonly #logRefusal: LogRefusal;
  readonly #onBegin: (session: BrokerSession) => void;
  readonly #onEnd: (session: BrokerSession) => void;
  readonly #onMoved: (username: string) => void;

  /**
   * `onBegin`, `onEnd`: called when the connection of a session begins and when it ends. `onMoved`: called when a login has moved to or
   * from another process.
   */
  constructor(
    claims: ClaimOptions | undefined,
    log: Logger,
    parts: {
      unreleased: UnreleasedMessages;
      logRefusal: LogRefusal;
      onBegin(session: BrokerSession): void;
      onEnd(session: BrokerSession): void;
      onMoved(username: string): void;
    },
  ) {
    this.#unreleased = parts.unreleased;
    this.#claimingOf = claims && createClaimHandlers(claims, log);
    this.#logRefusal = parts.logRefusal;
    this.#onBegin = parts.onBegin;
    this.#onEnd = parts.onEnd;
    this.#onMoved = parts.onMoved;
  }

  /** Begins a session. Returns false if the login has already sent the maximum number of requests in this minute. */
  begin(client: BrokerConnection, by: SessionLogin): boolean {
    const { username } = by;
    // Each meter of a batch has its own limits, because all of them may claim their identities at the same time.
    const login = by.owner ? this.logins.of(username) : new LoginUsage(username);
    const why = this.logins.request(login);
    if (why !== null) {
      this.#logRefusal(username, `login refused: ${why}`);
      return false;
    }
    (client as { id: string }).id = getSessionId(username, client.id);
    const claims = by.owner === null && this.#claimingOf?.(client, username, client.conn.remoteAddress ?? '');
    const claiming = claims ? { claims, sinceMs: performance.now() } : null;
    const session = new BrokerSession(client, by, { login, claiming, hasRoom: true });
    client.session = session;
    this.#resume(session);
    this.#onBegin(session);
    this.open.add(session);
    // Listens to the connection itself: aedes reports the end of a client only after it has registered the client.
    client.conn.once('close', () => this.#end(session));
    const oldest = this.logins.join(login, session);
    if (oldest) {
      this.#logRefusal(username, 'too many connections of a login: the oldest is ended');
      oldest.end();
    }
    return true;
  }

  /**
   * Ends the connections of a login that is at another process, or was there since these connections began. Their wills are not published.
   * Also drops the sessions of the login, because the client may have used the same ids for new QoS 2 messages.
   */
  moveAway(username: string): void {
    for (const connection of this.logins.connectionsOf(username)) connection.moveAway();
    this.#onMoved(username);
    this.#unreleased.dropLogin(username);
  }

  /** Ends connections of clients that do not read the messages sent to them. */
  endUnread(): void {
    for (const session of this.open) if (session.client.conn.writableLength > MAX_UNREAD_BYTES) session.end();
  }

  /** Ends the previous connection of the session if it is still open, and continues the stored session of an MQTT 5 client. */
  #resume(session: BrokerSession): void {
    const { client } = session;
    const { id, version5 } = client;
    const previous = this.#latest.get(id);
    this.#latest.set(id, session);
    if (previous && !previous.isElsewhere) {
      this.#store(previous);
      previous.isTakenOver = true;
      // Aedes closes the previous connection in one of the next turns of the event loop.
      previous.client.version5?.end(REASON_CODES.takenOver, () => {});
    }
    if (!version5) return;
    if (session.claiming) version5.expiryS = 0;
    // Aedes drops a clean session when its connection ends. In MQTT 5, the expiry determines whether the session outlasts the connection.
    (client as { clean: boolean }).clean = version5.expiryS === 0;
    version5.isResumed = !version5.isCleanStart && this.#unreleased.resume(id, version5.topics);
  }

  /** Stores a session of MQTT 5 that outlasts its connection. */
  #store({ client, account, isTakenOver }: BrokerSession): void {
    const { id, version5 } = client;
    if (version5 && version5.expiryS > 0 && !isTakenOver)
      this.#unreleased.store(id, { account, topics: version5.topics, lifetimeMs: version5.expiryS * 1_000 });
  }

  #end(session: BrokerSession): void {
    const { id } = session.client;
    if (this.#latest.get(id) === session) this.#latest.delete(id);
    this.#store(session);
    this.open.delete(session);
    session.login.connections.delete(session);
    this.#onEnd(session);
  }
}
