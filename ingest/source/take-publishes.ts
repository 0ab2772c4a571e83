import { Duplex } from 'node:stream';
import type { MqttClient } from 'mqtt';
import { AckOrder } from './ack-order.ts';
import { createPubackSender } from './pubacks.ts';
import { createPublishSplitter, MalformedPacketError } from './publish-packets.ts';
import type { MessageReceipt } from './source.ts';

interface PublishCallbacks {
  /** Handles a message. `receipt.done` sends the PUBACK. */
  take(topic: string, payload: Buffer, isRetained: boolean, receipt: MessageReceipt): void;
  /** Called when a message is acknowledged, or when its connection has closed. */
  acknowledged(): void;
  /** Called after each chunk of bytes. If it returns true, reading pauses until `readOn` is called. */
  hold(readOn: () => void): boolean;
}

type BuildStream = (client: MqttClient) => Duplex;
type Internals = { streamBuilder: BuildStream };

/**
 * Intercepts the PUBLISH packets of an mqtt.js client before its parser, which would double the cost of a message and wait for each commit.
 * Acknowledgements are sent in the order of receipt. Must be called before the client connects. The function wraps a private field of
 * mqtt.js, so the version of mqtt.js is pinned and a test checks this field.
 */
export function interceptPublishes(client: MqttClient, taking: PublishCallbacks): void {
  const internals = client as unknown as Internals;
  const build = internals.streamBuilder;
  internals.streamBuilder = (of) => parted(build(of), taking);
}

/** Returns the stream that replaces the connection of mqtt.js. It passes on all packets except received PUBLISH packets. */
function parted(connection: Duplex, taking: PublishCallbacks): Duplex {
  // Uses the same stream as mqtt.js. Otherwise a PUBACK could be written into the middle of another packet.
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
