import type { DeviceMessage } from '../family.ts';
import { asObjectOrNull, getMember, parseJsonObject } from '../read/payload.ts';
import { parseTasmotaTopic, type TasmotaTopic } from './topic.ts';

/**
 * Base topics of devices whose setting FullTopic contains no `%prefix%`. A base topic is a topic without its last level. The
 * decoder learns it from sensor messages.
 */
export type UnprefixedBaseTopics = Set<string>;

const MAX_BASES = 2_000;
const SENSOR = /^(.+)\/SENSOR$/;
const LEAF = /^(.+)\/(SENSOR|LWT|STATE|RESULT|INFO[123]|STATUS\d{0,2}|POWER\d{0,2})$/;

const baseOf = (topic: string): string | null =>
  parseTasmotaTopic(topic) === null ? (SENSOR.exec(topic)?.[1] ?? null) : null;

/** Whether a topic may be the sensor topic of a device without `%prefix%`. Other devices have topics with this ending, too. */
export const isUnprefixedSensorTopic = (topic: string): boolean => baseOf(topic) !== null;

/** Whether the last level of a topic is one that devices without `%prefix%` use. Other devices use the same words. */
export const canBeUnprefixedTopic = (topic: string): boolean => LEAF.test(topic);

/** Whether a payload has the form of Tasmota's sensor messages: an object with a time and at least one block. */
function isSensors(payload: Buffer): boolean {
  const body = parseJsonObject(payload);
  return (
    body !== null &&
    getMember(body, 'Time') !== undefined &&
    Object.values(body).some((value) => asObjectOrNull(value) !== null)
  );
}

/** Whether a message contains a base topic that is not stored yet. */
export function isNewUnprefixedBaseTopic(bases: UnprefixedBaseTopics, { topic, payload }: DeviceMessage): boolean {
  const base = baseOf(topic);
  return base !== null && !bases.has(base) && bases.size < MAX_BASES && isSensors(payload);
}

/** Stores the base topic of a device without `%prefix%`, if the message is such a device's sensor message. */
export function cacheUnprefixedBaseTopic(bases: UnprefixedBaseTopics, message: DeviceMessage): void {
  const base = baseOf(message.topic);
  if (base !== null && isNewUnprefixedBaseTopic(bases, message)) bases.add(base);
}

/**
 * Parses a topic without `%prefix%` (`plug/SENSOR`, `home/plug/LWT`); returns null if the topic does not belong to Tasmota. A sensor
 * message is recognised by its payload. Other topics are recognised only after a sensor message with the same base topic, because other
 * families also use words such as `LWT`.
 */
export function parseUnprefixedTopic(topic: string, payload: Buffer, bases: UnprefixedBaseTopics): TasmotaTopic | null {
  const [, base, leaf] = LEAF.exec(topic) ?? [];
  const device = base?.split('/').at(-1);
  if (base === undefined || !device) return null;
  if (leaf === 'SENSOR') return bases.has(base) || isSensors(payload) ? { device, about: 'sensors' } : null;
  if (!bases.has(base)) return null;
  if (leaf === 'LWT') return { device, about: 'availability' };
  return { device, about: leaf === 'STATUS8' || leaf === 'STATUS10' ? 'status' : 'nothing' };
}
