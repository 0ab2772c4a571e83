import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Client } from 'aedes';
import { generate, type Packet, parser, writeToStream } from 'mqtt-packet';
import { hasLittleMemory } from '#src/core/memory.ts';
import { MAX_PACKET_BYTES, type PacketHeader } from './packet-limit.ts';
import { getReasonCode, type PacketFault, REASON_CODES, REASON_CODES_BY_RETURN_CODE } from './reason-codes.ts';
import { SESSION_LIFETIME_MS } from './unreleased-messages.ts';

/** Maximum session expiry in seconds. The CONNACK reports it to clients that request more. */
const MAX_EXPIRY_S = SESSION_LIFETIME_MS / 1_000;
/** Maximum keep-alive in seconds, so that connections of clients that have disappeared end in time. */
const MAX_KEEP_ALIVE_S = 3_600;
/** Maximum number of unacknowledged messages of one connection. */
const RECEIVE_MAXIMUM = 2_000;
/** Maximum packet size in bytes of MQTT 5 (3.1.2.11.4). */
const NO_LIMIT = 268_435_460;
const V5 = { protocolVersion: 5 };

// mqtt-packet would cache a buffer for each of the 65,536 packet ids, which takes 10 MB.
if (hasLittleMemory()) writeToStream.cacheNumbers = false;

interface Properties {
  sessionExpiryInterval?: number;
  maximumPacketSize?: number;
  receiveMaximum?: number;
  authenticationMethod?: string;
  willDelayInterval?: number;
  topicAlias?: number;
  subscriptionIdentifier?: number;
}
interface Will {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  retain: boolean;
  properties?: Properties;
}
interface Mqtt5Packet extends PacketHeader {
  clean?: boolean;
  keepalive?: number;
  will?: Will;
  messageId?: number;
  topic?: string;
  reasonCode?: number;
  properties?: Properties;
}
interface Filter {
  topic: string;
  rh: number;
}

/** `subscriptions` is an internal property of aedes (lib/client.js). */
export type AedesClient = Client & { subscriptions: Record<string, Partial<Filter> | undefined> };

export const isMqtt5Connect = ({ cmd, protocolVersion }: PacketHeader): boolean =>
  cmd === 'connect' && protocolVersion === 5;

/** A connection of an MQTT 5 client to aedes, which supports only MQTT 3.1.1. Translates each packet in both directions. */
export class Mqtt5Connection {
  readonly isCleanStart: boolean;
  readonly willDelayS: number;
  /** Time in seconds for which the session outlasts its connection. */
  expiryS: number;
  isResumed = false;
  readonly topics = new Set<string>();
  /** Reason code of a refused login. Null if the login was not refused. */
  refusal: number | null = null;
  readonly #client: AedesClient;
  readonly #socket: Socket;
  readonly #connect: Mqtt5Packet;
  readonly #clientId: string;
  readonly #keepAliveS: number;
  readonly #mostBytes: number;
  /** Reason codes of UNSUBSCRIBE packets that aedes has not acknowledged yet, by packet id. */
  readonly #unsubscribed = new Map<number, number[]>();
  readonly #write: (bytes: Buffer, then?: () => void) => boolean;
  #isAccepted = false;
  #isEnding = false;

  /** `connect`: first packet of the connection. */
  constructor(client: AedesClient, socket: Socket, connect: Mqtt5Packet) {
    const { properties = {}, clientId = '', keepalive = 0, clean = false, will } = connect;
    this.#client = client;
    this.#socket = socket;
    this.#connect = connect;
    this.#clientId = clientId || `auto-${randomUUID()}`;
    this.#keepAliveS = keepalive > 0 && keepalive < MAX_KEEP_ALIVE_S ? keepalive : MAX_KEEP_ALIVE_S;
    this.#mostBytes = properties.maximumPacketSize ?? NO_LIMIT;
    this.isCleanStart = clean;
    this.expiryS = Math.min(properties.sessionExpiryInterval ?? 0, MAX_EXPIRY_S);
    this.willDelayS = will?.properties?.willDelayInterval ?? 0;
    this.#write = socket.write.bind(socket) as typeof this.write;
    const written = parser({ protocolVersion: 4 });
    written.on('packet', (packet) => this.#send(packet));
    socket.write = (bytes: string | Uint8Array) => {
      written.parse(Buffer.from(bytes as string));
      return !socket.writableNeedDrain;
    };
    client.prependListener('error', (error: Error) => this.#sayGoodbye(getReasonCode(error)));
  }

  /** Writes bytes without translation. */
  write(bytes: Buffer, then?: () => void): boolean {
    return this.#write(bytes, then);
  }

  /**
   * Translates a packet of the client for aedes. Returns a fault if the packet must end the connection, or null if the packet is a
   * DISCONNECT after which the will is published.
   */
  read(packet: Mqtt5Packet): PacketHeader | PacketFault | null {
    const { cmd, properties = {} } = packet;
    if (packet === this.#connect) return this.#readConnect(packet);
    switch (cmd) {
      case 'publish':
        if (properties.topicAlias !== undefined)
          return { why: 'topic alias, of which none are allowed', reasonCode: REASON_CODES.badTopicAlias };
        return packet;
      case 'subscribe':
        if (properties.subscriptionIdentifier !== undefined)
          return { why: 'subscription identifier', reasonCode: REASON_CODES.noSubscriptionIdentifiers };
        // With retain handling 1, the retained message is sent only for a new subscription.
        for (const filter of packet.subscriptions as Filter[])
          if (filter.rh === 1 && this.#isSubscribed(filter.topic)) filter.rh = 2;
        return packet;
      case 'unsubscribe':
        this.#unsubscribed.set(
          packet.messageId ?? 0,
          (packet.unsubscriptions as string[]).map((topic) =>
            this.#isSubscribed(topic) ? REASON_CODES.success : REASON_CODES.noSubscription,
          ),
        );
        return packet;
      case 'disconnect':
        return this.#readDisconnect(packet);
      case 'puback':
      case 'pubrec':
      case 'pubrel':
      case 'pubcomp':
      case 'pingreq':
        return packet;
      default:
        return { why: `${cmd.toUpperCase()} not expected`, reasonCode: REASON_CODES.protocolError };
    }
  }

  refuse(qos: number, messageId: number, reasonCode: number): void {
    const bytes = Buffer.from([qos === 2 ? 0x50 : 0x40, 3, 0, 0, reasonCode]);
    bytes.writeUInt16BE(messageId, 2);
    this.#write(bytes);
  }

  /** Sends the reason for the end of the connection, then calls `close`. */
  end(reasonCode: number, close: () => void): void {
    if (this.#socket.writableLength > 0 || !this.#sayGoodbye(reasonCode, close)) close();
  }

  #isSubscribed(topic: string): boolean {
    return this.#client.subscriptions[topic] !== undefined;
  }

  #readConnect(packet: Mqtt5Packet): PacketHeader | PacketFault {
    const { properties = {}, will } = packet;
    if (properties.authenticationMethod !== undefined)
      return { why: 'extended authentication', reasonCode: REASON_CODES.badAuthenticationMethod };
    if (properties.receiveMaximum === 0 || properties.maximumPacketSize === 0)
      return { why: 'limit of 0', reasonCode: REASON_CODES.protocolError };
    const { topic = '', payload, qos, retain } = will ?? {};
    return {
      ...packet,
      // The parser also uses the protocol version of the original packet for later packets, so only a copy may be changed.
      protocolVersion: 4,
      clientId: this.#clientId,
      keepalive: this.#keepAliveS,
      ...(will && { will: { topic, payload, qos, retain } }),
    } as PacketHeader;
  }

  #readDisconnect(packet: Mqtt5Packet): PacketHeader | PacketFault | null {
    const { reasonCode = 0, properties = {} } = packet;
    const { sessionExpiryInterval: expiryS } = properties;
    if (expiryS !== undefined) {
      // MQTT 5, 3.14.2.2.2: a session without expiry cannot get one at its end.
      if (expiryS > 0 && (this.#connect.properties?.sessionExpiryInterval ?? 0) === 0)
        return { why: 'session expiry at the end only', reasonCode: REASON_CODES.protocolError };
      this.expiryS = Math.min(expiryS, MAX_EXPIRY_S);
      (this.#client as { clean: boolean }).clean = this.expiryS === 0;
    }
    this.#isEnding = true;
    // The reason is not a normal disconnection, so the will is published (MQTT 5, 3.14.4).
    return reasonCode === 0 ? packet : null;
  }

  #send(packet: Packet): void {
    const bytes = generate(this.#toVersion5(packet), V5);
    // Drops packets that are longer than the client accepts (MQTT 5, 3.1.2.11.4).
    if (bytes.length <= this.#mostBytes) this.#write(bytes);
    else if (packet.cmd !== 'publish') this.#socket.destroy();
  }

  #toVersion5(packet: Packet): Packet {
    if (packet.cmd === 'suback') {
      const granted = (packet.granted as number[]).map((code) => (code < 0x80 ? code : REASON_CODES.notAuthorised));
      return { ...packet, granted };
    }
    if (packet.cmd === 'unsuback') {
      const granted = this.#unsubscribed.get(packet.messageId ?? 0) ?? [];
      this.#unsubscribed.delete(packet.messageId ?? 0);
      return { ...packet, granted };
    }
    if (packet.cmd !== 'connack') return packet;
    const { returnCode = 0 } = packet;
    const reasonCode = this.refusal ?? REASON_CODES_BY_RETURN_CODE[returnCode] ?? REASON_CODES.notAuthorised;
    if (reasonCode === 0) this.#isAccepted = true;
    else this.#isEnding = true;
    return reasonCode === 0
      ? { cmd: 'connack', reasonCode, sessionPresent: this.isResumed, properties: this.#limits() }
      : { cmd: 'connack', reasonCode, sessionPresent: false };
  }

  /** Returns the limits of the broker for the CONNACK (MQTT 5, 3.2.2.3). */
  #limits() {
    const { clientId, keepalive, properties = {} } = this.#connect;
    return {
      receiveMaximum: RECEIVE_MAXIMUM,
      maximumPacketSize: MAX_PACKET_BYTES,
      wildcardSubscriptionAvailable: false,
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
      ...(this.expiryS !== (properties.sessionExpiryInterval ?? 0) && { sessionExpiryInterval: this.expiryS }),
      ...(this.#keepAliveS !== keepalive && { serverKeepAlive: this.#keepAliveS }),
      ...(!clientId && { assignedClientIdentifier: this.#clientId }),
    };
  }

  /** Sends the reason for the end of a connection: in a CONNACK during the login, later in a DISCONNECT. Returns whether it was sent. */
  #sayGoodbye(reasonCode: number, then?: () => void): boolean {
    if (this.#isEnding || this.#client.closed || !this.#socket.writable) return false;
    this.#isEnding = true;
    this.#write(Buffer.from(this.#isAccepted ? [0xe0, 2, reasonCode, 0] : [0x20, 3, 0, reasonCode, 0]), then);
    return true;
  }
}
