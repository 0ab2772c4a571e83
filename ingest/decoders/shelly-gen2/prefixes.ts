import type { DeviceMessage } from '../family.ts';
import { member, readObject } from '../read/payload.ts';
import { isRead } from './components.ts';
import { type Component, defaultIdOf, parseShellyGen2Topic } from './topic.ts';

const ID = /^\P{Cc}{1,128}$/u;

/** First words of topics of others, below which `…/online` is no Shelly's. */
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

/** Whose prefix it is: prefixes that owners have chosen, and the ids of the devices behind them. */
export type Prefixes = Map<string, string>;

/** Whether a message tells whose prefix it is: frames do, where the prefix does not say so itself. */
export function namesPrefix(topic: string): boolean {
  const parsed = parseShellyGen2Topic(topic);
  const speaks = parsed?.leaf === 'events' || (parsed?.leaf === 'component' && isRead(parsed.component));
  return speaks === true && defaultIdOf(parsed?.prefix ?? '') === null;
}

/** Whether a frame tells of a prefix what is not known: frames come every few seconds, and say the same. */
export function isNewPrefix(prefixes: Prefixes, message: DeviceMessage): boolean {
  const parsed = parseShellyGen2Topic(message.topic);
  if (parsed?.leaf === 'component')
    return !prefixes.has(parsed.prefix) && isComponent(parsed.component, message.payload);
  if (parsed?.leaf !== 'events') return false;
  const source = sourceOf(member(readObject(message.payload), 'src'));
  return source !== null && prefixes.get(parsed.prefix) !== source;
}

const isComponent = (component: Component, payload: Buffer): boolean =>
  isRead(component) && readObject(payload) !== null;

/** Learns the device behind a prefix from the sender of a frame; whole components name none, and the prefix is taken for it. */
export function learnPrefix(prefixes: Prefixes, { topic, payload }: DeviceMessage): void {
  const parsed = parseShellyGen2Topic(topic);
  if (parsed?.leaf === 'component' && !prefixes.has(parsed.prefix) && isComponent(parsed.component, payload)) {
    prefixes.set(parsed.prefix, parsed.prefix);
  }
  if (parsed?.leaf !== 'events') return;
  const source = sourceOf(member(readObject(payload), 'src'));
  if (source !== null) prefixes.set(parsed.prefix, source);
}

/** The sender of a frame as a device's id; null where it is none. */
export const sourceOf = (source: unknown): string | null =>
  typeof source === 'string' && ID.test(source) ? source : null;

/** The device behind a prefix: as its frames say, else as the prefix says, else the prefix itself. */
export const deviceBehind = (prefix: string, prefixes: Prefixes): string =>
  defaultIdOf(prefix) ?? prefixes.get(prefix) ?? prefix;

/**
 * Whether `{prefix}/online` is a Shelly's: where the prefix is one by itself, or has been heard. `online` alone makes no Shelly:
 * others have such a topic, too.
 */
export const isOurs = (prefix: string, prefixes: Prefixes): boolean =>
  prefixes.has(prefix) || (defaultIdOf(prefix) !== null && !ROOTS_OF_OTHERS.has(prefix.split('/')[0] ?? ''));
