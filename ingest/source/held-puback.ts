import type { IPublishPacket, MqttClient } from 'mqtt';
import { ackOrder } from './ack-order.ts';
import { pubacks } from './pubacks.ts';

type SendPacket = (packet: { cmd: string; messageId?: number }, callback?: () => void, ...rest: unknown[]) => void;
type Internals = { _sendPacket: SendPacket };

/** Takes a message; `acknowledge` sends its PUBACK, if the connection that it came on still stands. */
export type TakeMessage = (packet: IPublishPacket, acknowledge: () => void, goOn: () => void) => void;

/**
 * Makes an mqtt.js client acknowledge QoS 1 messages when we say so, not when its handler returns: mqtt.js reads no
 * further while a handler is out, so one commit a message would be its limit. It has no door for this; the packet
 * sender that is wrapped here is private, which is why mqtt's version is pinned and a contract test watches over it.
 * A message that was not acknowledged when the connection ends comes again in the next one (MQTT 5, 4.4).
 */
export function holdPubacks(client: MqttClient, take: TakeMessage): void {
  const internals = client as unknown as Internals;
  const send = internals._sendPacket.bind(client) as SendPacket;
  // Past the sender, which has a price a packet; what it would do besides is nothing to an acknowledgement.
  const sendPuback = pubacks(() => (client.connected ? client.stream : null));
  let connection = 0;
  const orderOf = (cameOn: number) =>
    ackOrder((messageId) => {
      if (cameOn === connection) sendPuback(messageId);
    });
  let takenInOrder = orderOf(connection);
  client.on('close', () => {
    takenInOrder = orderOf(++connection);
  });
  internals._sendPacket = (packet, callback, ...rest) => {
    if (packet.cmd === 'puback') callback?.();
    else send(packet, callback, ...rest);
  };
  client.handleMessage = (packet, goOn) =>
    take(packet, packet.qos === 1 && packet.messageId !== undefined ? takenInOrder(packet.messageId) : NOTHING, goOn);
}

/** Of what needs no acknowledgement. */
const NOTHING = () => {};
