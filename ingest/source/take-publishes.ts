import { Duplex } from 'node:stream';
import type { MqttClient } from 'mqtt';
import { AckOrder } from './ack-order.ts';
import { createPubackSender } from './pubacks.ts';
import { createPublishSplitter, MalformedPacketError } from './publish-packets.ts';
import type { MessageReceipt } from './source.ts';

export interface PublishCallbacks {
  /** Handles a message. `receipt.done` sends the PUBACK if the connection on which the message arrived is still open. */
  take(topic: string, payload: Buffer, isRetained: boolean, receipt: MessageReceipt): void;
  /** Called when a message is acknowledged, or when its connection has closed. */
  acknowledged(): void;
  /** Called after each chunk of bytes from the connection. If it returns true, reading pauses until `readOn` is called. */
  hold(readOn: () => void): boolean;
}

type BuildStream = (client: MqttClient) => Duplex;
type Internals = { streamBuilder: BuildStream };

/**
 * Intercepts the messages of an mqtt.js client between its connection and its parser. The parser handles all other packets: connecting,
 * subscribing, pings and reconnecting. A message that passes through mqtt.js costs twice as much. Moreover, mqtt.js does not read on while
 * a handler is pending, so each message would need its own commit. With this function, a message at QoS 1 is acknowledged when `done` of
 * its receipt is called, and acknowledgements are sent in the order of receipt (`ack-order.ts`). If the connection ends first, the broker
 * redelivers the message on the next connection (MQTT 5, 4.4). Must be called before the client connects. The public way to give mqtt.js
 * another connection (`new MqttClient(streamBuilder)`) does not accept URLs. This function therefore wraps the private field that `connect`
 * sets. For this reason, the version of mqtt.js is pinned, and a test with a real broker checks the field.
 */
export function interceptPublishes(client: MqttClient, taking: PublishCallbacks): void {
  const internals = client as unknown as Internals;
  const build = internals.streamBuilder;
  internals.streamBuilder = (of) => parted(build(of), taking);
}

/**
 * Returns the stream that replaces the connection of mqtt.js. It passes on all packets that mqtt.js sends, and all packets of the broker
 * except PUBLISH.
 */
function parted(connection: Duplex, taking: PublishCallbacks): Duplex {
  // PUBACKs are written to the same stream as the packets of mqtt.js. Otherwise a PUBACK could get between the pieces in which mqtt.js
  // writes a packet.
  const sendPuback = createPubackSender(() => (others.writable ? others : null));
  const order = new AckOrder((packetId) => {
    sendPuback(packetId);
    taking.acknowledged();
  });
  const unanswered: MessageReceipt = { done: taking.acknowledged };
  const read = createPublishSplitter((topic, payload, packetId, isRetained) =>
    taking.take(topic, payload, isRetained, packetId === null ? unanswered : order.register(packetId)),
  );
  const others = new Duplex({
    // Does nothing, because bytes are pushed when they arrive from the connection.
    read() {},
    write(bytes, encoding, done) {
      connection.write(bytes, encoding, done);
    },
    writev(pieces, done) {
      connection.write(Buffer.concat(pieces.map(({ chunk }) => chunk)), done);
    },
    final(done) {
      connection.end(done);
    },
    destroy(error, done) {
      connection.destroy();
      done(error);
    },
  });
  connection.on('data', (bytes: Buffer) => {
    try {
      for (const other of read(bytes)) others.push(other);
    } catch (error) {
      if (!(error instanceof MalformedPacketError)) throw error;
      others.destroy(error);
      return;
    }
    if (taking.hold(() => connection.resume())) connection.pause();
  });
  connection.on('end', () => others.push(null));
  connection.on('error', (error) => others.destroy(error));
  connection.on('close', () => others.destroy());
  return others;
}
