import type { Socket } from 'node:net';
import type { Client } from 'aedes';
import { rejectMalformedProperties } from './mqtt5-properties.ts';
import { type PacketFault, REASON_CODES } from './reason-codes.ts';

/** Maximum length in bytes of all packets except PUBLISH. A CONNECT usually has some hundred bytes. */
const MAX_CONTROL_BYTES = 16_384;
const MAX_CLIENT_ID_CHARACTERS = 256;
const MAX_BYTES_BEFORE_LOGIN = 2 * 1_048_576;
/** Maximum length in bytes of a PUBLISH without its payload. */
const BESIDE_PAYLOAD_BYTES = 70_000;
export const MAX_PAYLOAD_BYTES = 1_048_576;
export const MAX_PACKET_BYTES = MAX_PAYLOAD_BYTES + BESIDE_PAYLOAD_BYTES;
/** Maximum number of topic filters in a packet. A client needs only one. */
const MAX_FILTERS = 100;

export interface PacketHeader {
  cmd: string;
  /** Length in bytes without the fixed header. */
  length?: number;
  clientId?: string;
  protocolVersion?: number;
  subscriptions?: readonly unknown[];
  unsubscriptions?: readonly unknown[];
}

/** Internals of aedes, which package.json pins to one version. */
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

/** Returns the reason why the size of a packet must end its connection. Null if the size is allowed. */
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
 * Ends a connection as soon as the header of a packet that is too long has arrived. MQTT allows 256 MiB (3.1.1, 2.2.3), so clients could
 * otherwise fill the memory. `read` is called with each complete packet and returns the packet to pass on to aedes. If it returns a fault
 * or null instead, nothing is passed on, and `end` is called with this value.
 */
export function limitPacketSize(
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
    // Type and length of the packet that has only partly arrived. The length is -1 if there is none.
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
