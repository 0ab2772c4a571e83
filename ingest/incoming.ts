import { decodeNative } from './decoders/native/decode.ts';
import { parseGatewayTopic } from './gateways/topic.ts';
import type { IncomingMessage } from './write/message.ts';

/** A message as a source delivers it. */
export interface RawMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Delivered at subscription with the retain flag. */
  replayed: boolean;
}

/**
 * What is to be written of a message: a native one is read here; one of a gateway waits for the transaction, where its
 * devices are known. Null: a message of somebody else's.
 */
export function toIncoming({ topic, payload, receivedAtMs, replayed }: RawMessage): IncomingMessage | null {
  const decoded = decodeNative({ topic, payload, receivedAtMs, replayed });
  if (decoded) return { topic, payload, receivedAtMs, decoded };
  const below = parseGatewayTopic(topic);
  if (!below) return null;
  const nothing = { deviceId: below.gatewayId, readings: [], rejections: [] };
  return { topic, payload, receivedAtMs, decoded: nothing, gateway: { ...below, replayed } };
}
