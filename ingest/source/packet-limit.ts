import type { Socket } from 'node:net';
import type { Client } from 'aedes';
import { rejectMalformedProperties } from './mqtt5-properties.ts';
import { type PacketFault, REASON_CODES } from './reason-codes.ts';

/**
 * Maximum length of every packet except PUBLISH. A device's CONNECT has some hundred bytes (more if it contains a will); a SUBSCRIBE is
 * shorter.
 */
const MAX_CONTROL_BYTES = 16_384;
const MAX_CLIENT_ID_CHARACTERS = 256;
/** Maximum number of bytes that a client may send before its login is checked. */
const MAX_BYTES_BEFORE_LOGIN = 2 * 1_048_576;
/** Maximum length of topic, properties and header, which a PUBLISH has in addition to its payload. */
const BESIDE_PAYLOAD_BYTES = 70_000;
export const MAX_PAYLOAD_BYTES = 1_048_576;
/** Maximum length of a packet after its fixed header. */
export const MAX_PACKET_BYTES = MAX_PAYLOAD_BYTES + BESIDE_PAYLOAD_BYTES;
/** Maximum number of filters in a SUBSCRIBE or UNSUBSCRIBE. Clients need one topic, and each filter must be checked. */
const MAX_FILTERS = 100;

/** The fields of a packet that are checked before it is processed. */
export interface PacketHeader {
  cmd: string;
  /** Length after the fixed header, in bytes. */
  length?: number;
  clientId?: string;
  protocolVersion?: number;
  subscriptions?: readonly unknown[];
  unsubscriptions?: readonly unknown[];
}

/** Internals of aedes (pinned to one version in package.json): the connection's parser, which buffers an incomplete packet. */
interface Parsing {
  _parser: {
    parse(data: Buffer): number;
    packet: { cmd: string; length: number };
    on(event: 'packet', then: (packet: PacketHeader) => void): void;
    listeners(event: 'packet'): ((packet: PacketHeader) => void)[];
    removeAllListeners(event: 'packet'): void;
  };
  connected: boolean;
}

/** Returns the reason to end the connection because of a packet's size; null if the packet is accepted. Pure. */
export function findPacketSizeFault({ cmd, length = 0, clientId = '', ...packet }: PacketHeader): PacketFault | null {
  const reasonCode = REASON_CODES.packetTooLarge;
  if (cmd !== 'publish' && length > MAX_CONTROL_BYTES)
    return { why: `${cmd.toUpperCase()} of more than ${MAX_CONTROL_BYTES} bytes`, reasonCode };
  if (clientId.length > MAX_CLIENT_ID_CHARACTERS)
    return {
      why: `client id of more than ${MAX_CLIENT_ID_CHARACTERS} characters`,
      reasonCode: REASON_CODES.badClientId,
    };
  const filters = packet.subscriptions ?? packet.unsubscriptions ?? [];
  return filters.length > MAX_FILTERS
    ? { why: `${cmd.toUpperCase()} of more than ${MAX_FILTERS} filters`, reasonCode }
    : null;
}

/**
 * Ends a connection that announces a packet longer than allowed, before the packet is received. MQTT allows 256 MiB (3.1.1, 2.2.3), so
 * anyone who can connect could fill this process's memory. Each complete packet is passed to `read`, and the result of `read` to aedes. If
 * the result is a fault or null, `end` is called with the result, and no further packet is passed on.
 */
export function limitPackets(
  client: Client,
  socket: Socket,
  {
    read,
    end,
  }: { read(packet: PacketHeader): PacketHeader | PacketFault | null; end(fault: PacketFault | null): void },
): void {
  const parsing = client as unknown as Parsing;
  const { _parser: parser } = parsing;
  const parse = parser.parse.bind(parser);
  const handlers = parser.listeners('packet');
  parser.removeAllListeners('packet');
  let mayPublish = false;
  parser.on('packet', (packet) => {
    mayPublish = true;
    const result = read(packet);
    if (result === null || 'why' in result) {
      parser.removeAllListeners('packet');
      return end(result);
    }
    for (const handle of handlers) handle.call(parser, result);
  });
  rejectMalformedProperties(parser);
  parser.parse = (data) => {
    const waitingBytes = parse(data);
    // Type and length of the incomplete packet that the parser has buffered, read from the packet's header. The length is -1 if there is
    // none.
    const { cmd, length } = parser.packet;
    const mostBytes = mayPublish && cmd === 'publish' ? MAX_PACKET_BYTES : MAX_CONTROL_BYTES;
    const isTooLong = length > mostBytes || (length !== -1 && waitingBytes > mostBytes);
    if (isTooLong || (!parsing.connected && socket.bytesRead > MAX_BYTES_BEFORE_LOGIN)) {
      parser.removeAllListeners('packet');
      end({ why: 'packet too large', reasonCode: REASON_CODES.packetTooLarge });
    }
    return waitingBytes;
  };
}
