import type { DeviceMessage } from '../family.ts';
import { member, readObject } from '../read/payload.ts';
import { defaultIdOf, parseShellyGen2Topic } from './topic.ts';

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
  return parsed?.leaf === 'events' && defaultIdOf(parsed.prefix) === null;
}

/** Whether a frame tells of a prefix what is not known: frames come every few seconds, and say the same. */
export function isNewPrefix(prefixes: Prefixes, message: DeviceMessage): boolean {
  const parsed = parseShellyGen2Topic(message.topic);
  if (parsed?.leaf !== 'events') return false;
  const source = sourceOf(member(readObject(message.payload), 'src'));
  return source !== null && prefixes.get(parsed.prefix) !== source;
}

/** Learns the device behind a prefix from the sender of a frame. */
export function learnPrefix(prefixes: Prefixes, { topic, payload }: DeviceMessage): void {
  const parsed = parseShellyGen2Topic(topic);
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
 * Whose `{prefix}/online` is: `ours` where the prefix is known, `others` where it is somebody else's, `perhaps` where only
 * the payload can say. `shellies/x/online` looks as a Gen1's does, and is one unless frames of `shellies/x` have come.
 */
export function whoseOnline(prefix: string, prefixes: Prefixes): 'ours' | 'perhaps' | 'others' {
  const [root = '', ...rest] = prefix.split('/');
  if (prefixes.has(prefix)) return 'ours';
  if (ROOTS_OF_OTHERS.has(root) || (root === 'shellies' && rest.length > 0)) return 'others';
  return defaultIdOf(prefix) === null ? 'perhaps' : 'ours';
}
