import type { DeviceMessage } from '../family.ts';
import { getMember, parseJsonObject } from '../read/payload.ts';
import { isReadableComponent } from './components.ts';
import { findDefaultDeviceId, parseShellyGen2Topic, type ShellyComponent } from './topic.ts';

const ID = /^\P{Cc}{1,128}$/u;

/** First topic levels of other families. A topic `…/online` below them does not come from a Shelly. */
const ROOTS_OF_OTHERS = new Set([
  '$SYS',
  'cmnd',
  'emon',
  'esphome',
  'homeassistant',
  'homie',
  'spBv1.0',
  'stat',
  'tele',
  'zigbee2mqtt',
]);

/** Device ids by topic prefix, which the owner chooses. */
export type DeviceIdsByPrefix = Map<string, string>;

/**
 * Whether messages on this topic can identify the device behind a topic prefix. Only notification frames and the status of components can.
 * If the prefix contains the device's default id, no message is needed.
 */
export function canIdentifyDeviceOfPrefix(topic: string): boolean {
  const parsed = parseShellyGen2Topic(topic);
  const speaks = parsed?.leaf === 'events' || (parsed?.leaf === 'component' && isReadableComponent(parsed.component));
  return speaks === true && findDefaultDeviceId(parsed?.prefix ?? '') === null;
}

/**
 * Whether a message is the first one that identifies the device of a topic prefix. Most frames, which arrive every few seconds, repeat a
 * known id.
 */
export function isNewPrefix(prefixes: DeviceIdsByPrefix, message: DeviceMessage): boolean {
  const parsed = parseShellyGen2Topic(message.topic);
  if (parsed?.leaf === 'component')
    return !prefixes.has(parsed.prefix) && isComponent(parsed.component, message.payload);
  if (parsed?.leaf !== 'events') return false;
  const source = parseSenderDeviceId(getMember(parseJsonObject(message.payload), 'src'));
  return source !== null && prefixes.get(parsed.prefix) !== source;
}

const isComponent = (component: ShellyComponent, payload: Buffer): boolean =>
  isReadableComponent(component) && parseJsonObject(payload) !== null;

/**
 * Stores the device behind a topic prefix: the sender of a frame. The status of a component contains no sender, so the prefix itself
 * becomes the id.
 */
export function cacheDeviceIdOfPrefix(prefixes: DeviceIdsByPrefix, { topic, payload }: DeviceMessage): void {
  const parsed = parseShellyGen2Topic(topic);
  if (parsed?.leaf === 'component' && !prefixes.has(parsed.prefix) && isComponent(parsed.component, payload)) {
    prefixes.set(parsed.prefix, parsed.prefix);
  }
  if (parsed?.leaf !== 'events') return;
  const source = parseSenderDeviceId(getMember(parseJsonObject(payload), 'src'));
  if (source !== null) prefixes.set(parsed.prefix, source);
}

/** Returns the sender of a frame (`src`) as a device id; null if the sender is not a valid id. */
export const parseSenderDeviceId = (source: unknown): string | null =>
  typeof source === 'string' && ID.test(source) ? source : null;

/**
 * Returns the id of the device behind a topic prefix: the default id in the prefix, or else the id in the device's frames, or else the
 * prefix itself.
 */
export const getDeviceIdOfPrefix = (prefix: string, prefixes: DeviceIdsByPrefix): string =>
  findDefaultDeviceId(prefix) ?? prefixes.get(prefix) ?? prefix;

/**
 * Whether `{prefix}/online` comes from a Shelly: the prefix contains a default id, or an earlier message has shown that it belongs to a
 * Shelly. The word `online` is not sufficient, because other devices use it.
 */
export const isShellyPrefix = (prefix: string, prefixes: DeviceIdsByPrefix): boolean =>
  prefixes.has(prefix) || (findDefaultDeviceId(prefix) !== null && !ROOTS_OF_OTHERS.has(prefix.split('/')[0] ?? ''));
