import { getMember, type Json } from '../read/payload.ts';

/**
 * Names of members that distinguish several devices on one topic. A plain `id` does so only next to a model; elsewhere it may number the
 * messages.
 */
const SERIAL =
  /^(?:sn|serial(?:[_-]?(?:no|number|nr|num))?|(?:inverter|device|meter)[_-]?(?:sn|serial|id)|mac|dev_?eui)$/i;

/** Matches the member with the name of a device. The name distinguishes devices that have no serial number. */
const DEVICE_NAME = /^device_?name$/i;

/**
 * Matches a time at the end of a topic (MeterLogger), in seconds or milliseconds since 1970. The time differs in each message, so it is not
 * part of the device's id.
 */
const TIME_AT_END = /\/1\d{9}(?:\d{3})?$/;

/**
 * Returns the id of the device that has published a body: the topic without a time at its end, followed by the serial number in the body,
 * if any.
 */
export function getDeviceIdOfMessage(address: string, body: Json): string {
  const topic = address.replace(TIME_AT_END, '');
  const names = Object.keys(body);
  const name =
    names.find((one) => SERIAL.test(one)) ??
    names.find((one) => DEVICE_NAME.test(one)) ??
    (typeof body.model === 'string' ? 'id' : '');
  const id = getMember(body, name);
  if (typeof id !== 'string' && typeof id !== 'number') return topic;
  const text = String(id).trim();
  return text === '' || text.length > 64 || topic.includes(text) ? topic : `${topic}/${text}`;
}
