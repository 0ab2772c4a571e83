import { parseGatewayTopic, parseNativeTopic } from '#src/devices/topics.ts';
import { decodeNative } from './decoders/native/decode.ts';
import type { IncomingMessage } from './message.ts';
import type { RawMessage } from './source/source.ts';

/** The device or gateway that sent a message. */
export interface Sender {
  id: string;
  isGateway: boolean;
}

/** Returns the device or gateway of a topic; null if the topic is of neither. */
export function parseSender(topic: string): Sender | null {
  const native = parseNativeTopic(topic);
  if (native) return { id: native.deviceId, isGateway: false };
  const below = parseGatewayTopic(topic);
  return below && { id: below.gatewayId, isGateway: true };
}

/** Creates a rejection of a whole message, whatever it contains. */
export const rejectedMessage = (
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
 * Prepares a message for writing. A native message is decoded here; a gateway's message is decoded in the transaction, where its devices
 * are known. Returns null for a topic of neither a device nor a gateway.
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
