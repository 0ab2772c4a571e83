import { Duplex } from 'node:stream';
import type { MqttClient } from 'mqtt';
import { ackOrder } from './ack-order.ts';
import { pubacks } from './pubacks.ts';
import { MalformedPacket, publishPackets } from './publish-packets.ts';
import type { Receipt } from './source.ts';

/** What becomes of the messages of a client. */
export interface Taking {
  /** Takes a message. Its receipt sends its PUBACK, if the connection that it came on still stands. */
  take(topic: string, payload: Buffer, isRetained: boolean, receipt: Receipt): void;
  /** A message is acknowledged, or its connection no longer stands. */
  acknowledged(): void;
  /** Asked after each piece of the connection's bytes; where it answers true, nothing more is read until what it was given is called. */
  hold(readOn: () => void): boolean;
}

type BuildStream = (client: MqttClient) => Duplex;
type Internals = { streamBuilder: BuildStream };

/**
 * Takes the messages of an mqtt.js client between its connection and its parser, which sees all other packets: connecting, subscribing,
 * pings and coming back are mqtt.js'. Through mqtt.js a message costs twice as much, and it reads no further while a handler is out, so
 * one commit a message would be its limit. Here it is acknowledged when we say so, at QoS 1, in the order of receipt (`ack-order.ts`).
 * A message that was not acknowledged when the connection ends comes again in the next one (MQTT 5, 4.4).
 *
 * To be called before the client connects. mqtt.js has a public door for a connection of one's own (`new MqttClient(streamBuilder)`), which knows
 * no URLs; the field that `connect` sets is wrapped here, which is why mqtt's version is pinned and a test over a real broker watches over it.
 */
export function takePublishes(client: MqttClient, taking: Taking): void {
  const internals = client as unknown as Internals;
  const build = internals.streamBuilder;
  internals.streamBuilder = (of) => parted(build(of), taking);
}

/** What mqtt.js has in the place of its connection: all that it writes goes there, and all but messages comes from there. */
function parted(connection: Duplex, taking: Taking): Duplex {
  // By way of what mqtt.js writes to: a packet of its own is several pieces.
  const sendPuback = pubacks(() => (others.writable ? others : null));
  const takenInOrder = ackOrder((packetId) => {
    sendPuback(packetId);
    taking.acknowledged();
  });
  const unanswered: Receipt = { done: taking.acknowledged };
  const read = publishPackets((topic, payload, packetId, isRetained) =>
    taking.take(topic, payload, isRetained, packetId === null ? unanswered : takenInOrder(packetId)),
  );
  const others = new Duplex({
    // Given as it comes.
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
      if (!(error instanceof MalformedPacket)) throw error;
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
