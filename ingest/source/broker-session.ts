import type { Logger } from '#src/core/log.ts';
import type { DeviceLoginOwner } from '#src/devices/credentials.ts';
import { createMeterClaimHandlerFactory, type MeterClaimHandler, type MeterClaimOptions } from './claiming.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { type LoginConnection, LoginLimits, LoginUsage } from './login-limits.ts';
import type { AedesClient, Mqtt5Connection } from './mqtt5.ts';
import { createPubackSender } from './pubacks.ts';
import { REASON_CODES, REASON_CODES_BY_RETURN_CODE } from './reason-codes.ts';
import { getSessionId, type UnreleasedMessages } from './unreleased-messages.ts';

/** Maximum number of bytes that the service has sent and the client has not read. */
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
  version5?: Mqtt5Connection;
};

export interface SessionLogin {
  /** Id of the device or gateway, or of a batch of meters that claim their identities. */
  username: string;
  owner: DeviceLoginOwner | null;
  certificate: ClientCertificate | null;
  /** SHA-256 of the password. Null if the client logged in by certificate. */
  secretSha256: Buffer | null;
}

export class BrokerSession implements LoginConnection {
  readonly client: BrokerConnection;
  readonly by: SessionLogin;
  readonly login: LoginUsage;
  /** Set while a meter claims its identity. Its connection may do nothing else. */
  readonly claiming: { claims: MeterClaimHandler; sinceMs: number } | null;
  /** Whether the account may send more messages now. */
  hasRoom: boolean;
  isTakenOver = false;
  /** Whether the client has connected to another process. */
  isElsewhere = false;
  /** Calls that are deferred until the paused connection is read again. */
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

  get account(): string {
    return this.by.owner?.accountId ?? this.by.username;
  }

  /**
   * Calls `then` as soon as the connection is being read. If the connection ends before, `then` is never called, and the client sends its
   * message again.
   */
  whenRead(then: () => void): void {
    if (this.#isHeld) this.#held.push(then);
    else then();
  }

  readOn(): void {
    while (!this.#isHeld && this.#held.length > 0) this.#held.shift()?.();
  }

  /** Sends a PUBACK. Ends the connection if the client does not read its acknowledgements. */
  acknowledge(messageId: number): void {
    if (this.client.conn.writableLength > MAX_UNREAD_BYTES) this.end();
    else this.#sendPuback(messageId);
  }

  /** Ends the connection. A client of MQTT 5 receives the reason. */
  end(reasonCode: number = REASON_CODES.quotaExceeded): void {
    endConnection(this.client, reasonCode);
  }

  /** Ends the connection because its device is now connected to another process. */
  moveAway(): void {
    this.isTakenOver = true;
    this.isElsewhere = true;
    this.end(REASON_CODES.takenOver);
  }

  get #isHeld(): boolean {
    return !this.hasRoom || this.login.isHeld;
  }
}

/** Ends a connection, even one that has not logged in. */
export function endConnection(client: BrokerConnection, reasonCode: number): void {
  const close = () => client.close();
  if (client.version5) client.version5.end(reasonCode, close);
  else if (!refuseMqttConnect(client, reasonCode, close)) close();
}

/** Sends the return code of MQTT 3.1.1 for a refused CONNECT, if there is one. Returns whether a code was sent. */
export function refuseMqttConnect({ session, conn }: BrokerConnection, reasonCode: number, then?: () => void): boolean {
  const returnCode = REASON_CODES_BY_RETURN_CODE.indexOf(reasonCode);
  if (session || returnCode === -1 || !conn.writable) return false;
  conn.write(Buffer.from([0x20, 2, 0, returnCode]), then);
  return true;
}

type LogRefusal = (username: string, why: string) => void;

/** All connections that have logged in. */
export class LoggedInConnections {
  readonly open = new Set<BrokerSession>();
  readonly logins = new LoginLimits();
  readonly #latest = new Map<string, BrokerSession>();
  readonly #unreleased: UnreleasedMessages;
  readonly #claimingOf: ReturnType<typeof createMeterClaimHandlerFactory> | undefined;
  readonly #logRefusal: LogRefusal;
  readonly #onBegin: (session: BrokerSession) => void;
  readonly #onEnd: (session: BrokerSession) => void;
  readonly #onMoved: (username: string) => void;

  /** `onBegin`, `onEnd`: called for each session. `onMoved`: called when the client of a login has moved to or from another process. */
  constructor(
    claims: MeterClaimOptions | undefined,
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
    this.#claimingOf = claims && createMeterClaimHandlerFactory(claims, log);
    this.#logRefusal = parts.logRefusal;
    this.#onBegin = parts.onBegin;
    this.#onEnd = parts.onEnd;
    this.#onMoved = parts.onMoved;
  }

  /** Begins a session. Returns false if the login has exceeded its number of requests per minute. */
  begin(client: BrokerConnection, by: SessionLogin): boolean {
    const { username } = by;
    // Each meter of a batch has its own limits.
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
    // aedes reports the end of a client only if it has registered the client, so the socket is used.
    client.conn.once('close', () => this.#end(session));
    const oldest = this.logins.join(login, session);
    if (oldest) {
      this.#logRefusal(username, 'too many connections of a login: the oldest is ended');
      oldest.end();
    }
    return true;
  }

  /** Ends the connections and sessions of a login that has moved to another process. Their wills are not published. */
  moveAway(username: string): void {
    for (const connection of this.logins.connectionsOf(username)) connection.moveAway();
    this.#onMoved(username);
    this.#unreleased.dropLogin(username);
  }

  /** Ends the connections of clients that do not read. */
  endUnread(): void {
    for (const session of this.open) if (session.client.conn.writableLength > MAX_UNREAD_BYTES) session.end();
  }

  /** Ends the previous connection of the session, and continues a stored MQTT 5 session. */
  #resume(session: BrokerSession): void {
    const { client } = session;
    const { id, version5 } = client;
    const previous = this.#latest.get(id);
    this.#latest.set(id, session);
    if (previous && !previous.isElsewhere) {
      this.#store(previous);
      previous.isTakenOver = true;
      // aedes closes the previous connection later.
      previous.client.version5?.end(REASON_CODES.takenOver, () => {});
    }
    if (!version5) return;
    if (session.claiming) version5.expiryS = 0;
    // aedes drops a clean session at the end of its connection. In MQTT 5, the session expiry decides this.
    (client as { clean: boolean }).clean = version5.expiryS === 0;
    version5.isResumed = !version5.isCleanStart && this.#unreleased.resume(id, version5.topics);
  }

  /** Stores an MQTT 5 session that outlasts its connection. */
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
