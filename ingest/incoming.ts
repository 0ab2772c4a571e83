import {
  type HttpsReadingsFormat,
  parseGatewayTopic,
  parseHttpsReadingsTopic,
  parseNativeTopic,
} from '#src/devices/topics.ts';
import type { DecodedMessage } from './decoders/decoder.ts';
import { decodeNativeMessage, decodeNativePayload, findListLengthError } from './decoders/native/decode.ts';
import { decodeSenmlRecords } from './decoders/senml/decode.ts';
import { createDecodedMessage } from './gateways/assign.ts';
import type { IncomingMessage } from './message.ts';
import type { RawMessage } from './source/source.ts';

export interface MessageSender {
  id: string;
  isGateway: boolean;
}

/** Returns the device or gateway to which a topic belongs. Null if the topic belongs to neither. */
export function parseSender(topic: string): MessageSender | null {
  const native = parseNativeTopic(topic);
  if (native) return { id: native.deviceId, isGateway: false };
  const below = parseGatewayTopic(topic);
  return below && { id: below.gatewayId, isGateway: true };
}

export const rejectWholeMessage = (
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

const NEEDS_TS = 'needs ts: without it, a repetition could not be distinguished from a new reading';

/**
 * Decodes the body of a request that sends readings over HTTPS. Never throws. Each element needs a timestamp, because clients repeat
 * requests.
 */
export function decodeHttpsReadings(
  { deviceId, format }: { deviceId: string; format: HttpsReadingsFormat },
  body: unknown,
  receivedAtMs: number,
): DecodedMessage {
  if (format === 'native') return decodeNativePayload(deviceId, body, { receivedAtMs, untimed: NEEDS_TS });
  const decoded: DecodedMessage = { deviceId, readings: [], rejections: [] };
  const length = Array.isArray(body) ? findListLengthError(body) : null;
  const records = length ?? decodeSenmlRecords(body, { device: deviceId, receivedAtMs });
  if (typeof records === 'string') return { ...decoded, rejections: [{ element: null, reason: records }] };
  for (const { index: element, said, refused } of records) {
    for (const reading of createDecodedMessage(deviceId, said, receivedAtMs).readings)
      decoded.readings.push({ ...reading, element });
    for (const reason of refused) decoded.rejections.push({ element, reason });
  }
  if (decoded.readings.length === 0 && decoded.rejections.length === 0)
    decoded.rejections.push({ element: null, reason: 'no record has a quantity that is read' });
  return decoded;
}

function parseJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return null;
  }
}

/**
 * Prepares a message for writing. A message of a gateway is decoded later, in the transaction that loads the gateway's devices. Returns
 * null if the topic belongs to neither a device nor a gateway.
 */
export function createIncomingMessage(raw: RawMessage): IncomingMessage | null {
  const { topic, payload, receivedAtMs, replayed } = raw;
  const decoded = decodeNativeMessage(raw);
  if (decoded) return { topic, payload, receivedAtMs, replayed, decoded };
  const sent = parseHttpsReadingsTopic(topic);
  if (sent)
    return {
      topic,
      payload,
      receivedAtMs,
      replayed,
      decoded: decodeHttpsReadings(sent, parseJson(payload), receivedAtMs),
    };
  const below = parseGatewayTopic(topic);
  if (!below) return null;
  const nothing = { deviceId: below.gatewayId, readings: [], rejections: [] };
  return { topic, payload, receivedAtMs, replayed, decoded: nothing, gateway: below };
}
