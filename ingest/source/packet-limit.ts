import type { Socket } from 'node:net';
import type { Client } from 'aedes';

/** Of any packet but a PUBLISH. A CONNECT of a device is some hundred bytes, its will may be some more; a SUBSCRIBE less than that. */
const MAX_CONTROL_BYTES = 16_384;
const MAX_CLIENT_ID_CHARACTERS = 256;
/** What may follow before the login is checked. */
const MAX_BYTES_BEFORE_LOGIN = 2 * 1_048_576;
/** Topic, properties and header beside a payload. */
const BESIDE_PAYLOAD_BYTES = 70_000;
/** Of a SUBSCRIBE or an UNSUBSCRIBE: there is one topic to listen to, and each filter is looked at. */
const MAX_FILTERS = 100;

/** A packet, as far as it is judged before anything is done about it. */
export interface AnyPacket {
  cmd: string;
  /** Bytes after its header. */
  length?: number;
  clientId?: string;
  subscriptions?: readonly unknown[];
  unsubscriptions?: readonly unknown[];
}

/** Of aedes (pinned to one version in package.json): its parser, which keeps an incomplete packet until all of it is there. */
interface Parsing {
  _parser: {
    parse(data: Buffer): number;
    packet: { cmd: string; length: number };
    on(event: 'packet', then: (packet: AnyPacket) => void): void;
    listeners(event: 'packet'): ((packet: AnyPacket) => void)[];
    removeAllListeners(event: 'packet'): void;
  };
  connected: boolean;
}

/** Why a packet ends its connection, by its size alone; null where it is let through. Pure. */
export function faultOfPacket({ cmd, length = 0, clientId = '', ...packet }: AnyPacket): string | null {
  if (cmd !== 'publish' && length > MAX_CONTROL_BYTES)
    return `${cmd.toUpperCase()} of more than ${MAX_CONTROL_BYTES} bytes`;
  if (clientId.length > MAX_CLIENT_ID_CHARACTERS)
    return `client id of more than ${MAX_CLIENT_ID_CHARACTERS} characters`;
  const filters = packet.subscriptions ?? packet.unsubscriptions ?? [];
  return filters.length > MAX_FILTERS ? `${cmd.toUpperCase()} of more than ${MAX_FILTERS} filters` : null;
}

/**
 * Ends a connection whose packet is announced longer than it may be, before it is taken in: MQTT allows 256 MiB
 * (3.1.1, 2.2.3), and anybody who reaches the port could have as much of this process's memory as it sends. And hands a whole packet to
 * aedes only where `judge` has no reason against it; `end` is called with the reason otherwise, and nothing after it is handed on.
 */
export function limitPackets(
  client: Client,
  socket: Socket,
  maxPayloadBytes: number,
  { judge, end }: { judge(packet: AnyPacket): string | null; end(why: string): void },
): void {
  const parsing = client as unknown as Parsing;
  const { _parser: parser } = parsing;
  const parse = parser.parse.bind(parser);
  const handlers = parser.listeners('packet');
  parser.removeAllListeners('packet');
  let mayPublish = false;
  parser.on('packet', (packet) => {
    mayPublish = true;
    const why = faultOfPacket(packet) ?? judge(packet);
    if (why !== null) {
      parser.removeAllListeners('packet');
      return end(why);
    }
    for (const handle of handlers) handle.call(parser, packet);
  });
  parser.parse = (data) => {
    const waitingBytes = parse(data);
    // What is announced of a packet that is not complete; a length of -1 where there is none.
    const { cmd, length } = parser.packet;
    const mostBytes = mayPublish && cmd === 'publish' ? maxPayloadBytes + BESIDE_PAYLOAD_BYTES : MAX_CONTROL_BYTES;
    const isTooLong = length > mostBytes || (length !== -1 && waitingBytes > mostBytes);
    if (isTooLong || (!parsing.connected && socket.bytesRead > MAX_BYTES_BEFORE_LOGIN)) socket.destroy();
    return waitingBytes;
  };
}
