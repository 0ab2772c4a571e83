import type { IPublishPacket, MqttClient } from 'mqtt';
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
  let connection = 0;
  client.on('close', () => {
    connection++;
  });
  // Past the sender, which has a price a packet; what it would do besides is nothing to an acknowledgement.
  const acknowledgeOn = pubacks(() => (client.connected ? client.stream : null));
  internals._sendPacket = (packet, callback, ...rest) => {
    if (packet.cmd === 'puback') callback?.();
    else send(packet, callback, ...rest);
  };
  // By itself, so that what waits for its commit keeps two numbers, not the packet and all that mqtt.js has around it.
  const acknowledgement = (messageId: number | undefined, cameOn: number) => () => {
    if (messageId !== undefined && cameOn === connection) acknowledgeOn(messageId);
  };
  client.handleMessage = (packet, goOn) =>
    take(packet, acknowledgement(packet.qos === 1 ? packet.messageId : undefined, connection), goOn);
}
