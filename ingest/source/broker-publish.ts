import type { Client, PublishPacket } from 'aedes';
import { canPublishOnTopic } from '#src/devices/broker-access.ts';
import type { BrokerConnection, BrokerSession } from './broker-session.ts';
import type { MeterClaimOptions } from './claiming.ts';
import type { LoginLimits } from './login-limits.ts';
import { MAX_PAYLOAD_BYTES } from './packet-limit.ts';
import { REASON_CODES, RefusedPacketError } from './reason-codes.ts';
import type { MessageReceiver } from './source.ts';
import { getLoginOfSession, type UnreleasedMessages } from './unreleased-messages.ts';

/** Topic on which a mosquitto bridge reports its state. These messages are accepted and ignored. */
const BRIDGE_STATE = /^\$SYS\/broker\/connection\//;
/** Topic on which aedes publishes refused messages, without their content. No client may subscribe to it. */
const REFUSED_TOPIC = '$SYS/refused';

/** Maximum number of delayed wills. A further will is published at once. */
const MAX_WILLS = 10_000;
/** Maximum size of a delayed will in bytes. A larger will is published at once. */
const MAX_WILL_BYTES = 1_024;

/** Wills (MQTT 5) that are published after a delay, unless the client resumes its session before. */
class DelayedWills {
  readonly #waiting = new Map<string, { timer: NodeJS.Timeout; publish: () => void }>();
  readonly #logins = new Map<string, Set<string>>();

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

  /** Ends the delay of a session's will: drops the will if the client has resumed the session, otherwise publishes it. */
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
  readonly #claims: MeterClaimOptions | undefined;
  readonly #logRefusal: (username: string, why: string, topic?: string) => void;
  /** Paused connections, which are read again when their account has room. */
  readonly #waiting = new Set<BrokerSession>();
  readonly #willDelayS: number;
  #isPaused = false;
  readonly wills = new DelayedWills();

  constructor(parts: {
    receive: MessageReceiver;
    logins: LoginLimits;
    unreleased: UnreleasedMessages;
    claims: MeterClaimOptions | undefined;
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

  /** Hook that aedes calls for each PUBLISH. It calls `done` when aedes may read on, or with an error if the connection must end. */
  readonly authorize: (client: Client | null, packet: PublishPacket, done: Done) => void = (client, packet, done) => {
    // Without a client, aedes itself publishes the message ($SYS).
    if (!client) return done(null);
    const { session } = client as BrokerConnection;
    const { topic } = packet;
    // No client may subscribe to topics of devices, so their messages are not retained.
    packet.retain = false;
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    if (payload.length > MAX_PAYLOAD_BYTES)
      return done(new RefusedPacketError('payload is longer than 1 MiB', REASON_CODES.packetTooLarge));
    if (session && BRIDGE_STATE.test(topic)) return this.#takeBridgeState(session, topic, done);
    if (session?.claiming && topic === this.#claims?.topic) return claim(session, packet, payload, done);
    if (!session || session.claiming || !canPublishOnTopic(session.by.username, topic)) {
      this.#logRefusal(session?.by.username ?? '', 'publish outside the own topic refused', topic);
      return this.#refuse(session, packet, new RefusedPacketError('not your topic', REASON_CODES.notAuthorised), done);
    }
    const take =
      packet.qos === 2
        ? () => this.#takeOnce(session, packet, payload, done)
        : () => this.#take(session, packet, payload, done);
    // A will is published after its connection has ended.
    if (client.closed) this.#takeWill(session, packet, payload, done);
    else session.whenRead(take);
  };

  readonly pause = (): void => {
    this.#isPaused = true;
  };

  /** Resumes reading from paused connections of an account, or of all accounts if `account` is undefined. */
  readonly resume = (account?: string): void => {
    if (account === undefined) this.#isPaused = false;
    for (const session of [...this.#waiting]) {
      if (account !== undefined && session.account !== account) continue;
      this.#waiting.delete(session);
      session.hasRoom = true;
      session.readOn();
    }
  };

  leave(session: BrokerSession): void {
    this.#waiting.delete(session);
  }

  /** Passes a message to the pipeline. `committed`: called when the message is stored. */
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

  /** Handles a message at QoS 0 or 1. aedes sees QoS 0, because the service itself acknowledges the message after the commit. */
  #take(session: BrokerSession, packet: PublishPacket, payload: Buffer, done: Done): void {
    const acknowledged = packet.qos === 1 ? idOf(packet) : undefined;
    packet.qos = 0;
    this.#hand(session, packet.topic, payload, () => {
      if (acknowledged !== undefined) session.acknowledge(acknowledged);
    });
    session.whenRead(done);
  }

  /** Handles a message at QoS 2. Records its id, so that a repetition is not stored a second time (MQTT 3.1.1, 4.3.3). */
  #takeOnce(session: BrokerSession, packet: PublishPacket, payload: Buffer, done: Done): void {
    const { id } = session.client;
    const messageId = idOf(packet) ?? 0;
    try {
      if (this.#unreleased.isRepeated(id, messageId, session.account, done)) return;
    } catch (error) {
      const { message } = error as Error;
      this.#logRefusal(session.by.username, `connection ended: ${message}`);
      // Ends the connection: after a PUBREC with an error, the client would drop the message; after a reconnect, it sends the message
      // again.
      done(new RefusedPacketError(message, REASON_CODES.quotaExceeded));
      return;
    }
    this.#hand(session, packet.topic, payload, () => {
      this.#unreleased.commit(id, messageId);
      done(null);
    });
  }

  /** Ignores a report of a bridge about its state, but counts it as a request. */
  #takeBridgeState(session: BrokerSession, topic: string, done: Done): void {
    const why = this.#logins.request(session.login);
    if (why !== null) this.#logRefusal(session.by.username, `connection ended: ${why}`, topic);
    done(why === null ? null : new RefusedPacketError(why, REASON_CODES.quotaExceeded));
  }

  /**
   * Handles a will at the end of its connection, or later if the will has a delay (MQTT 5, 3.1.3.2.2). If the client has connected to
   * another process, the will is dropped, because newer messages may already be stored.
   */
  #takeWill(session: BrokerSession, packet: PublishPacket, payload: Buffer, done: Done): void {
    const { client, isTakenOver, isElsewhere } = session;
    const { willDelayS = 0, expiryS = 0 } = client.version5 ?? {};
    const ownDelayS = Math.min(willDelayS, expiryS);
    // If a new connection has taken over the session, the will is published before the first message of the new connection.
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

  /** Refuses a message. If the protocol allows it, the acknowledgement contains the reason; otherwise the connection ends. */
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

/** Handles a message in which a meter claims its identity. */
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
