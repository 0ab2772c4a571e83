import type { DeviceMessage } from '../family.ts';
import { asObject, member, readObject } from '../read/payload.ts';
import { parseTasmotaTopic, type TasmotaTopic } from './topic.ts';

/** Topics without their last word, below which a device without `%prefix%` in its FullTopic has spoken. */
export type Bases = Set<string>;

const MAX_BASES = 2_000;
const SENSOR = /^(.+)\/SENSOR$/;
const LEAF = /^(.+)\/(SENSOR|LWT|STATE|RESULT|INFO[123]|STATUS\d{0,2}|POWER\d{0,2})$/;

const baseOf = (topic: string): string | null =>
  parseTasmotaTopic(topic) === null ? (SENSOR.exec(topic)?.[1] ?? null) : null;

/** Whether a topic is one where a device without a prefix tells its sensors; others end like that, too. */
export const isBare = (topic: string): boolean => baseOf(topic) !== null;

/** Whether a topic ends as those of a device without a prefix; others' end like that, too. */
export const mayBeBare = (topic: string): boolean => LEAF.test(topic);

/** Sensors of Tasmota: an object with a time and at least one block. */
function isSensors(payload: Buffer): boolean {
  const body = readObject(payload);
  return (
    body !== null && member(body, 'Time') !== undefined && Object.values(body).some((value) => asObject(value) !== null)
  );
}

/** Whether a message tells of a base that is not known. */
export function isNewBase(bases: Bases, { topic, payload }: DeviceMessage): boolean {
  const base = baseOf(topic);
  return base !== null && !bases.has(base) && bases.size < MAX_BASES && isSensors(payload);
}

/** Learns where a device without a prefix speaks. */
export function learnBase(bases: Bases, message: DeviceMessage): void {
  const base = baseOf(message.topic);
  if (base !== null && isNewBase(bases, message)) bases.add(base);
}

/**
 * Reads a topic without `%prefix%` (`plug/SENSOR`, `home/plug/LWT`); null where it is nobody's. What looks like sensors is; the
 * rest is the device's once its sensors have come: another family's `LWT` is none of ours.
 */
export function parseBareTopic(topic: string, payload: Buffer, bases: Bases): TasmotaTopic | null {
  const [, base, leaf] = LEAF.exec(topic) ?? [];
  const device = base?.split('/').at(-1);
  if (base === undefined || !device) return null;
  if (leaf === 'SENSOR') return bases.has(base) || isSensors(payload) ? { device, about: 'sensors' } : null;
  if (!bases.has(base)) return null;
  if (leaf === 'LWT') return { device, about: 'availability' };
  return { device, about: leaf === 'STATUS8' || leaf === 'STATUS10' ? 'status' : 'nothing' };
}
