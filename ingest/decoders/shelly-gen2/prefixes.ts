import type { DeviceMessage } from '../family.ts';
import { getMember, parseJsonObject } from '../read/payload.ts';
import { isReadableComponent } from './components.ts';
import { findDefaultDeviceId, parseShellyGen2Topic, type ShellyComponent } from './topic.ts';

const ID = /^\P{Cc}{1,128}$/u;

/** First topic words of other families, whose `…/online` does not come from a Shelly. */
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

/** Device ids by topic prefix. Owners choose the prefixes. */
export type DeviceIdsByPrefix = Map<string, string>;

/**
 * Whether messages on this topic identify the device behind a topic prefix. Only frames and components do, and only if the prefix does not
 * contain the device's default id.
 */
export function canIdentifyDeviceOfPrefix(topic: string): boolean {
  const parsed = parseShellyGen2Topic(topic);
  const speaks = parsed?.leaf === 'events' || (parsed?.leaf === 'component' && isReadableComponent(parsed.component));
  return speaks === true && findDefaultDeviceId(parsed?.prefix ?? '') === null;
}

/** Whether a message identifies the device of a topic prefix for the first time. Most frames repeat a known id, every few seconds. */
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

/** Stores the device behind a topic prefix: the sender of a frame. Whole components contain no sender, so the prefix becomes the id. */
export function cacheDeviceIdOfPrefix(prefixes: DeviceIdsByPrefix, { topic, payload }: DeviceMessage): void {
  const parsed = parseShellyGen2Topic(topic);
  if (parsed?.leaf === 'component' && !prefixes.has(parsed.prefix) && isComponent(parsed.component, payload)) {
    prefixes.set(parsed.prefix, parsed.prefix);
  }
  if (parsed?.leaf !== 'events') return;
  const source = parseSenderDeviceId(getMember(parseJsonObject(payload), 'src'));
  if (source !== null) prefixes.set(parsed.prefix, source);
}

/** Returns the sender of a frame (`src`) as a device id; null if it is not a valid id. */
export const parseSenderDeviceId = (source: unknown): string | null =>
  typeof source === 'string' && ID.test(source) ? source : null;

/** Returns the device behind a topic prefix: the default id in the prefix, else the id in its frames, else the prefix itself. */
export const getDeviceIdOfPrefix = (prefix: string, prefixes: DeviceIdsByPrefix): string =>
  findDefaultDeviceId(prefix) ?? prefixes.get(prefix) ?? prefix;

/**
 * Whether `{prefix}/online` comes from a Shelly: the prefix contains a default id, or is already known as a Shelly's. The word `online` is
 * not sufficient, because other devices use it.
 */
export const isShellyPrefix = (prefix: string, prefixes: DeviceIdsByPrefix): boolean =>
  prefixes.has(prefix) || (findDefaultDeviceId(prefix) !== null && !ROOTS_OF_OTHERS.has(prefix.split('/')[0] ?? ''));
