import { Duplex, pipeline, Transform } from 'node:stream';
import type { MqttClient } from 'mqtt';
import { ackOrder } from './ack-order.ts';
import { pubacks } from './pubacks.ts';
import { MalformedPacket, type Publish, publishPackets } from './publish-packets.ts';

/** Takes a message; `acknowledge` sends its PUBACK, if the connection that it came on still stands. It must be called once. */
export type TakePublish = (publish: Publish, acknowledge: () => void) => void;

type BuildStream = (client: MqttClient) => Duplex;
type Internals = { streamBuilder: BuildStream };

/**
 * Takes the messages of an mqtt.js client between its connection and its parser, which sees all other packets: connecting, subscribing,
 * pings and coming back are mqtt.js'. Through mqtt.js a message costs twice as much, and it reads no further while a handler is out, so
 * one commit a message would be its limit. Here it is acknowledged when we say so, at QoS 1, in the order of receipt (`ack-order.ts`).
 * A message that was not acknowledged when the connection ends comes again in the next one (MQTT 5, 4.4).
 *
 * `goOn`: is given what reads on, after each piece of the connection's bytes. mqtt.js has a public door for a connection of one's own
 * (`new MqttClient(streamBuilder)`), which knows no URLs; the field that `connect` sets is wrapped here, which is why mqtt's version is pinned and
 * a contract test watches over it. To be called before the client connects.
 */
export function takePublishes(client: MqttClient, take: TakePublish, goOn: (readOn: () => void) => void): void {
  const internals = client as unknown as Internals;
  const build = internals.streamBuilder;
  internals.streamBuilder = (of) => parted(build(of), take, goOn);
}

function parted(connection: Duplex, take: TakePublish, goOn: (readOn: () => void) => void): Duplex {
  // By way of what mqtt.js writes to: a packet of its own is several pieces.
  const sendPuback = pubacks(() => (others.writable ? others : null));
  const takenInOrder = ackOrder(sendPuback);
  const read = publishPackets((publish) =>
    take(publish, publish.packetId === null ? NOTHING : takenInOrder(publish.packetId)),
  );
  const parting = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      try {
        for (const other of read(bytes)) this.push(other);
      } catch (error) {
        if (!(error instanceof MalformedPacket)) throw error;
        return done(error);
      }
      goOn(done);
    },
  });
  // Errors are told by what is answered here.
  pipeline(connection, parting, () => {});
  const others = Duplex.from({ readable: parting, writable: connection });
  return others;
}

/** Of what needs no acknowledgement. */
const NOTHING = () => {};
