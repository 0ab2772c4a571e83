import { Duplex } from 'node:stream';
import type { MqttClient } from 'mqtt';
import { AckOrder } from './ack-order.ts';
import { createPubackSender } from './pubacks.ts';
import { createPublishSplitter, MalformedPacketError } from './publish-packets.ts';
import type { MessageReceipt } from './source.ts';

export interface PublishCallbacks {
  /** Handles a message. `done` of its `receipt` sends the PUBACK, if the connection on which the message arrived is still open. */
  take(topic: string, payload: Buffer, isRetained: boolean, receipt: MessageReceipt): void;
  /** Called when a message is acknowledged, or when its connection has closed. */
  acknowledged(): void;
  /** Called after each chunk of the connection's bytes. If it returns true, reading pauses until `readOn` is called. */
  hold(readOn: () => void): boolean;
}

type BuildStream = (client: MqttClient) => Duplex;
type Internals = { streamBuilder: BuildStream };

/**
 * Intercepts the messages of an mqtt.js client between its connection and its parser. The parser handles all other packets: connecting,
 * subscribing, pings and reconnecting. Through mqtt.js, a message costs twice as much, and mqtt.js does not read on while a handler is
 * pending, so that each message would need its own commit. With this function, a message at QoS 1 is acknowledged when `done` of its
 * receipt is called, in the order of receipt (`ack-order.ts`). A message that was not acknowledged when the connection ended is redelivered
 * on the next connection (MQTT 5, 4.4). Must be called before the client connects. mqtt.js has a public way to use a custom connection
 * (`new MqttClient(streamBuilder)`), but it does not accept URLs. So this function wraps the private field that `connect` sets; mqtt's
 * version is pinned for this reason, and a test with a real broker checks the field.
 */
export function interceptPublishes(client: MqttClient, taking: PublishCallbacks): void {
  const internals = client as unknown as Internals;
  const build = internals.streamBuilder;
  internals.streamBuilder = (of) => parted(build(of), taking);
}

/**
 * Returns the stream that replaces mqtt.js' connection. The stream passes on all packets that mqtt.js sends, and all packets of the broker
 * except messages.
 */
function parted(connection: Duplex, taking: PublishCallbacks): Duplex {
  // PUBACKs are written to the same stream as mqtt.js' packets, because mqtt.js writes one packet in several pieces.
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
    // Does nothing, because bytes are pushed as they arrive from the connection.
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
