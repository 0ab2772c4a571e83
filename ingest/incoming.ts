import { parseGatewayTopic, parseNativeTopic } from '#src/devices/topics.ts';
import { decodeNative } from './decoders/native/decode.ts';
import type { IncomingMessage } from './message.ts';
import type { RawMessage } from './source/source.ts';

/** Whose message it is. */
export interface Sender {
  id: string;
  isGateway: boolean;
}

/** Which device or gateway a topic is of; null: somebody else's. */
export function senderOf(topic: string): Sender | null {
  const native = parseNativeTopic(topic);
  if (native) return { id: native.deviceId, isGateway: false };
  const below = parseGatewayTopic(topic);
  return below && { id: below.gatewayId, isGateway: true };
}

/** A message that is refused, whatever it says. */
export const unread = (
  { topic, payload, receivedAtMs, replayed }: RawMessage,
  deviceId: string,
  reason: string,
): IncomingMessage => ({
  topic,
  payload,
  receivedAtMs,
  replayed,
  decoded: { deviceId, readings: [], rejections: [{ element: null, reason }] },
});

/**
 * What is to be written of a message: a native one is read here; one of a gateway waits for the transaction, where its
 * devices are known. Null: a message of somebody else's.
 */
export function toIncoming(raw: RawMessage): IncomingMessage | null {
  const { topic, payload, receivedAtMs, replayed } = raw;
  const decoded = decodeNative(raw);
  if (decoded) return { topic, payload, receivedAtMs, replayed, decoded };
  const below = parseGatewayTopic(topic);
  if (!below) return null;
  const nothing = { deviceId: below.gatewayId, readings: [], rejections: [] };
  return { topic, payload, receivedAtMs, replayed, decoded: nothing, gateway: below };
}
