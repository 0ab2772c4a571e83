import type { Client, PublishPacket } from 'aedes';
import { canPublish } from '#src/devices/broker-access.ts';
import type { BrokerConnection, BrokerSession } from './broker-session.ts';
import type { ClaimOptions } from './claiming.ts';
import type { LoginLimits } from './login-limits.ts';
import { MAX_PAYLOAD_BYTES } from './packet-limit.ts';
import { REASON_CODES, RefusedPacketError } from './reason-codes.ts';
import type { MessageReceiver } from './source.ts';
import { getLoginOfSession, type UnreleasedMessages } from './unreleased-messages.ts';

/** Topic on which a bridge reports its state (mosquitto's `notifications`). These messages are accepted and ignored. */
const BRIDGE_STATE = /^\$SYS\/broker\/connection\//;
/** Topic of messages that were refused: aedes publishes them on this topic, without their content. No client may subscribe to it. */
const REFUSED_TOPIC = '$SYS/refused';

/**
 * Maximum number of delayed wills. `MAX_WILL_BYTES`: maximum size of one. A will beyond these limits is published at once, which the
 * standard allows before the end of a session.
 */
const MAX_WILLS = 10_000;
const MAX_WILL_BYTES = 1_024;

/**
 * Wills that are published after a delay (MQTT 5). If the client resumes its session before the delay has passed, its will is not
 * published.
 */
class DelayedWills {
  readonly #waiting = new Map<string, { timer: NodeJS.Timeout; publish: () => void }>();
  /** Sessions with delayed wills, by login. */
  readonly #logins = new Map<string, Set<string>>();

  /** Calls `publish` after the delay. `id`: the session that the will belongs to. */
  delay(id: string, { bytes, delayS }: { bytes: number; delayS: number }, publish: () => void): void {
    this.#take(id);
    if (bytes > MAX_WILL_BYTES || this.#waiting.size >= MAX_WILLS) {
      publish();
      return;
    }
    const timer = setTimeout(() => this.#take(id)?.publish(), delayS * 1_000);
    timer.unref();
    this.#waiting.set(id, { timer, publish });
    const ids = this.#logins.get(getLoginOfSession(id)) ?? new Set();
    this.#logins.set(getLoginOfSession(id), ids.add(id));
  }

  /**
   * Ends the delay of a session's will. If the session is resumed, the will is dropped. If the session has ended, the will is published.
   */
  end(id: string, isResumed: boolean): void {
    const will = this.#take(id);
    if (will && !isResumed) will.publish();
  }

  dropLogin(username: string): void {
    for (const id of [...(this.#logins.get(username) ?? [])]) this.#take(id);
  }

  /** Drops all wills. */
  stop(): void {
    for (const id of [...this.#waiting.keys()]) this.#take(id);
  }

  #take(id: string): { publish: () => void } | undefined {
    const will = this.#waiting.get(id);
    clearTimeout(will?.timer);
    this.#waiting.delete(id);
    const ids = this.#logins.get(getLoginOfSession(id));
    ids?.delete(id);
    if (ids?.size === 0) this.#logins.delete(getLoginOfSession(id));
    return will;
  }
}

type Done = (error?: Error | null) => void;

/** Receives published messages from aedes, and passes them to the pipeline. */
export class PublishHandler {
  readonly #receive: MessageReceiver;
  readonly #logins: LoginLimits;
  readonly #unreleased: UnreleasedMessages;
  readonly #claims: ClaimOptions | undefined;
  readonly #logRefusal: (username: string, why: string, topic?: string) => void;
  /** Sessions from which nothing is read until their account has room for further messages. */
  readonly #waiting = new Set<BrokerSession>();
  readonly #willDelayS: number;
  #isPaused = false;
  readonly wills = new DelayedWills();

  /** `logRefusal`: logs why a request was refused. `willDelayS`: minimum delay of a will, in seconds. */
  constructor(parts: {
    receive: MessageReceiver;
    logins: LoginLimits;
    unreleased: UnreleasedMessages;
    claims: ClaimOptions | undefined;
    logRefusal(username: string, why: string, topic?: string): void;
    willDelayS: number;
  }) {
    this.#receive = parts.receive;
    this.#logins = parts.logins;
    this.#unreleased = parts.unreleased;
    this.#claims = parts.claims;
    this.#logRefusal = parts.logRefusal;
    this.#willDelayS = parts.willDelayS;
  }

  /**
   * Authorisation hook of aedes for a PUBLISH. Calls `done` when aedes may continue to read from the connection, or
   * with an error if the connection must end.
   */
  readonly authorize: (client: Client | null, packet: PublishPacket, done: Done) => void = (client, packet, done) => {
    // If there is no client, aedes itself publishes the message ($SYS). A will has the session of its client.
    if (!client) return done(null);
    const { session } = client as BrokerConnection;
    const { topic } = packet;
    // Messages of devices are never retained, because no client may subscribe to their topics.
    packet.retain = false;
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    if (payload.length > MAX_PAYLOAD_BYTES)
      return done(new RefusedPacketError('payload is longer than 1 MiB', REASON_CODES.packetTooLarge));
    if (session && BRIDGE_STATE.test(topic)) return this.#takeBridgeState(session, topic, done);
    if (session?.claiming && topic === this.#claims?.topic) return claim(session, packet, payload, done);
    if (!session || session.claiming || !canPublish(session.by.username, topic)) {
      this.#logRefusal(session?.by.username ?? '', 'publish outside the own topic refused', topic);
      return this.#refuse(session, packet, new RefusedPacketError('not your topic', REASON_CODES.notAuthorised), done);
    }
    const take =
      packet.qos === 2
        ? () => this.#takeOnce(session, packet, payload, done)
        : () => this.#take(session, packet, payload, done);
    // A will has no packet id. Its connection has ended, so the will cannot wait until the connection is read again.
    if (client.closed) this.#takeWill(session, packet, payload, done);
    else session.whenRead(take);
  };

  readonly pause = (): void => {
    this.#isPaused = true;
  };

  /**
   * Resumes reading from connections that wait for room. `account`: the only account whose connections resume; undefined: those of all
   * accounts.
   */
  readonly resume = (account?: string): void => {
    if (account === undefined) this.#isPaused = false;
    for (const session of [...this.#waiting]) {
      if (account !== undefined && session.account !== account) continue;
      this.#waiting.delete(session);
      session.hasRoom = true;
      session.readOn();
    }
  };

  /** Removes a session whose connection has ended. */
  leave(session: BrokerSession): void {
    this.#waiting.delete(session);
  }

  /** Passes a message to the pipeline. Calls `committed` when the message is stored. */
  #hand(session: BrokerSession, topic: string, payload: Buffer, committed: () => void): void {
    const { login, account, client } = session;
    const { length } = payload;
    login.take(length);
    const message = { topic, payload, receivedAtMs: Date.now(), replayed: false, account };
    const mayGoOn = this.#receive(message, {
      done() {
        login.give(length);
        committed();
      },
    });
    if ((mayGoOn && !this.#isPaused) || client.closed) return;
    session.hasRoom = false;
    this.#waiting.add(session);
  }

  /**
   * Handles a message at QoS 0 or 1. Its QoS is set to 0 for aedes, because the service itself sends the acknowledgement after the commit.
   */
  #take(session: BrokerSession, packet: PublishPacket, payload: Buffer, done: Done): void {
    const acknowledged = packet.qos === 1 ? idOf(packet) : undefined;
    packet.qos = 0;
    this.#hand(session, packet.topic, payload, () => {
      if (acknowledged !== undefined) session.acknowledge(acknowledged);
    });
    session.whenRead(done);
  }

  /**
   * Handles a message at QoS 2. First records the id of the message, so that a repetition is not stored a second time, whether it arrives
   * on this connection or on a later one of the same session (MQTT 3.1.1, 4.3.3). After the commit, aedes finds the recorded id and only
   * sends the PUBREC.
   */
  #takeOnce(session: BrokerSession, packet: PublishPacket, payload: Buffer, done: Done): void {
    const { id } = session.client;
    const messageId = idOf(packet) ?? 0;
    try {
      if (this.#unreleased.isRepeated(id, messageId, session.account, done)) return;
    } catch (error) {
      const { message } = error as Error;
      this.#logRefusal(session.by.username, `connection ended: ${message}`);
      // Ends the connection instead of sending a PUBREC with an error: after such a PUBREC a client drops the message, whereas after a
      // reconnect it sends the message again.
      done(new RefusedPacketError(message, REASON_CODES.quotaExceeded));
      return;
    }
    this.#hand(session, packet.topic, payload, () => {
      this.#unreleased.commit(id, messageId);
      done(null);
    });
  }

  /** Ignores a message in which a bridge reports its state. The message counts as a request of its login. */
  #takeBridgeState(session: BrokerSession, topic: string, done: Done): void {
    const why = this.#logins.request(session.login);
    if (why !== null) this.#logRefusal(session.by.username, `connection ended: ${why}`, topic);
    done(why === null ? null : new RefusedPacketError(why, REASON_CODES.quotaExceeded));
  }

  /**
   * Handles a will at the end of its connection. If the will has a delay and its session outlasts the connection, the will is handled after
   * the delay (MQTT 5, 3.1.3.2.2). If the client has connected to another process, the will is dropped, because it would be stored after
   * newer messages of the client.
   */
  #takeWill(session: BrokerSession, packet: PublishPacket, payload: Buffer, done: Done): void {
    const { client, isTakenOver, isElsewhere } = session;
    const { willDelayS = 0, expiryS = 0 } = client.version5 ?? {};
    const ownDelayS = Math.min(willDelayS, expiryS);
    // If a new connection at this process has taken over the session, the will is published before the first message of the new connection.
    const delayS = isTakenOver ? ownDelayS : Math.max(ownDelayS, this.#willDelayS);
    if (delayS === 0 && !isElsewhere) {
      this.#take(session, packet, payload, done);
      return;
    }
    const will = { ...packet };
    const publish = () => this.#take(session, will, payload, () => {});
    if (!isTakenOver) this.wills.delay(client.id, { bytes: payload.length, delayS }, publish);
    done(null);
  }

  /** Refuses a message. In MQTT 5 at QoS 1 or 2, the acknowledgement contains the reason; otherwise the connection ends. */
  #refuse(session: BrokerSession | undefined, packet: PublishPacket, refused: RefusedPacketError, done: Done): void {
    const messageId = idOf(packet);
    const { version5, closed = true } = session?.client ?? {};
    const why = session && !closed && version5 && messageId ? this.#logins.request(session.login) : refused.why;
    if (why === null) {
      version5?.refuse(packet.qos, messageId ?? 0, refused.reasonCode);
      Object.assign(packet, { topic: REFUSED_TOPIC, payload: Buffer.alloc(0), qos: 0 });
    }
    done(
      why === null
        ? null
        : new RefusedPacketError(why, why === refused.why ? refused.reasonCode : REASON_CODES.quotaExceeded),
    );
  }
}

/** Handles a message in which a meter claims its identity. The message is acknowledged after the decision. */
function claim(session: BrokerSession, packet: PublishPacket, payload: Buffer, done: Done): void {
  const { qos } = packet;
  const { claims } = session.claiming ?? {};
  const messageId = idOf(packet);
  if (qos < 2) packet.qos = 0;
  claims?.take(payload, () => {
    if (qos === 2) done(null);
    else if (qos === 1 && messageId !== undefined) session.acknowledge(messageId);
  });
  if (qos < 2) done(null);
}

const idOf = (packet: PublishPacket): number | undefined => (packet as { messageId?: number }).messageId;
