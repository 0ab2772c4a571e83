import { kwhToMilliwattHours, scaleAndRound } from '#src/core/units.ts';
import { parseNativeTopic } from '#src/devices/topics.ts';
import type { DecodedMessage, DecodedReading, QuantityKind } from '../decoder.ts';
import { MAX_DECODED_PAYLOAD_BYTES } from '../read/payload.ts';
import { type NativeReading, parseDeviceStatus, parseNativeReading } from './payload.ts';

/** Maximum number of elements in one message. A longer message is rejected as a whole. */
const MAX_ELEMENTS = 10_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a native message (in the service's own format). Never throws: an element that cannot be decoded becomes a rejection. Returns null
 * for topics that are not native. `replayed`: the broker delivered a retained message, so elements without a time are rejected.
 */
export function decodeNativeMessage(message: {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  replayed: boolean;
}): DecodedMessage | null {
  const topic = parseNativeTopic(message.topic);
  if (!topic) return null;
  const { deviceId } = topic;
  if (message.payload.length > MAX_DECODED_PAYLOAD_BYTES) return refused(deviceId, 'payload is longer than 1 MiB');
  let text: string;
  try {
    text = utf8.decode(message.payload);
  } catch {
    return refused(deviceId, 'payload is not UTF-8');
  }
  if (topic.leaf === 'status') {
    const status = parseDeviceStatus(text.trim());
    if (status === null) return refused(deviceId, 'status is not one of online, offline, faulty');
    return { deviceId, readings: [], rejections: [], status };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refused(deviceId, 'payload is not JSON');
  }
  const untimed = message.replayed ? 'retained message without a time of its own' : null;
  return decodeNativePayload(deviceId, json, { receivedAtMs: message.receivedAtMs, untimed });
}

/** Time of receipt of a payload. `untimed`: reason to reject elements without a time; null if such elements get the time of receipt. */
interface NativeReceipt {
  receivedAtMs: number;
  untimed: string | null;
}

/** Decodes the JSON of a native payload: one element or a list of elements. Never throws. */
export function decodeNativePayload(deviceId: string, json: unknown, receipt: NativeReceipt): DecodedMessage {
  const decoded: DecodedMessage = { deviceId, readings: [], rejections: [] };
  if (!Array.isArray(json)) {
    decodeElement(json, 0, receipt, decoded);
    return decoded;
  }
  const reason = findListLengthError(json);
  if (reason !== null) return refused(deviceId, reason);
  for (let index = 0; index < json.length; index++) decodeElement(json[index], index, receipt, decoded);
  return decoded;
}

/** Returns the reason to reject a list because of its length; null if the length is allowed. */
export function findListLengthError({ length }: readonly unknown[]): string | null {
  if (length === 0) return 'payload is an empty array';
  return length > MAX_ELEMENTS ? `payload has more than ${MAX_ELEMENTS} elements` : null;
}

const refused = (deviceId: string, reason: string): DecodedMessage => ({
  deviceId,
  readings: [],
  rejections: [{ element: null, reason }],
});

function decodeElement(
  element: unknown,
  index: number,
  { receivedAtMs, untimed }: NativeReceipt,
  decoded: DecodedMessage,
): void {
  const reading = parseNativeReading(element);
  if (typeof reading === 'string') {
    decoded.rejections.push({ element: index, reason: reading });
    return;
  }
  if (reading.readAtMs === null && untimed !== null) {
    decoded.rejections.push({ element: index, reason: untimed });
    return;
  }
  addQuantities(reading, receivedAtMs, index, decoded);
}

function addQuantities(
  { channel, readAtMs: saidMs, quantities }: NativeReading,
  receivedAtMs: number,
  element: number,
  decoded: DecodedMessage,
): void {
  const { deviceId } = decoded;
  const readAtMs = saidMs ?? receivedAtMs;
  const add = (kind: QuantityKind, value: number, intervalMs = 0) => {
    const reading: DecodedReading = { deviceId, channel, kind, readAtMs, intervalMs, value, element };
    if (saidMs === null) reading.isUntimed = true;
    // Most messages contain one reading. `push` to an empty array would allocate room for 17 readings, but an array literal allocates room
    // for one.
    if (decoded.readings.length === 0) decoded.readings = [reading];
    else decoded.readings.push(reading);
  };
  if (quantities.energy_total_kwh !== undefined) add('register', kwhToMilliwattHours(quantities.energy_total_kwh));
  if (quantities.energy_kwh !== undefined && quantities.interval_s !== undefined) {
    const intervalMs = Math.max(1, scaleAndRound(quantities.interval_s, 3));
    add('interval', kwhToMilliwattHours(quantities.energy_kwh), intervalMs);
  }
  if (quantities.power_w !== undefined) add('power', scaleAndRound(quantities.power_w, 3));
  if (quantities.temperature_c !== undefined) add('temperature', scaleAndRound(quantities.temperature_c, 3));
  if (quantities.setpoint_c !== undefined) add('setpoint', scaleAndRound(quantities.setpoint_c, 3));
  if (quantities.heating !== undefined) add('heating', quantities.heating ? 1 : 0);
  if (quantities.humidity_percent !== undefined) add('humidity', scaleAndRound(quantities.humidity_percent, 3));
}
