import { parseGatewayTopic, parseNativeTopic } from '#src/devices/topics.ts';
import { decodeNative } from './decoders/native/decode.ts';
import type { IncomingMessage } from './message.ts';
import type { RawMessage } from './source/source.ts';

/** Which device or gateway a topic is of; null: somebody else's. */
export const senderOf = (topic: string): string | null =>
  parseNativeTopic(topic)?.deviceId ?? parseGatewayTopic(topic)?.gatewayId ?? null;

/** A message that is refused without being read. */
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
export function toIncoming({ topic, payload, receivedAtMs, replayed }: RawMessage): IncomingMessage | null {
  const decoded = decodeNative({ topic, payload, receivedAtMs, replayed });
  if (decoded) return { topic, payload, receivedAtMs, replayed, decoded };
  const below = parseGatewayTopic(topic);
  if (!below) return null;
  const nothing = { deviceId: below.gatewayId, readings: [], rejections: [] };
  return { topic, payload, receivedAtMs, replayed, decoded: nothing, gateway: below };
}
