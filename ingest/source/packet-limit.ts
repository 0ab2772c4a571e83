import type { Socket } from 'node:net';
import type { Client } from 'aedes';

/** A CONNECT of a device is some hundred bytes; its will may be some more. */
const MAX_CONNECT_BYTES = 16_384;
/** What may follow before the login is checked. */
const MAX_BYTES_BEFORE_LOGIN = 2 * 1_048_576;
/** Topic, properties and header beside a payload. */
const BESIDE_PAYLOAD_BYTES = 70_000;

/** Of aedes (pinned to one version in package.json): its parser, which keeps an incomplete packet until all of it is there. */
interface Parsing {
  _parser: { parse(data: Buffer): number; packet: { length: number }; once(event: 'packet', then: () => void): void };
  connected: boolean;
}

/**
 * Ends a connection whose packet is announced longer than it may be, before it is taken in: MQTT allows 256 MiB
 * (3.1.1, 2.2.3), and anybody who reaches the port could have as much of this process's memory as it sends.
 */
export function limitPackets(client: Client, socket: Socket, maxPayloadBytes: number): void {
  const parsing = client as unknown as Parsing;
  const { _parser: parser } = parsing;
  const parse = parser.parse.bind(parser);
  let mostBytes = MAX_CONNECT_BYTES;
  parser.once('packet', () => {
    mostBytes = maxPayloadBytes + BESIDE_PAYLOAD_BYTES;
  });
  parser.parse = (data) => {
    const waitingBytes = parse(data);
    // What is announced of a packet that is not complete; -1 where there is none.
    const isTooLong = parser.packet.length > mostBytes || waitingBytes > mostBytes;
    if (isTooLong || (!parsing.connected && socket.bytesRead > MAX_BYTES_BEFORE_LOGIN)) socket.destroy();
    return waitingBytes;
  };
}
