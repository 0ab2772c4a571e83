/** Command classes of which something is read, by their numbers (value id topics) and by their names (named topics). */
const CLASSES = new Map([
  ['49', 'sensor'],
  ['sensor_multilevel', 'sensor'],
  ['50', 'meter'],
  ['meter', 'meter'],
  ['66', 'state'],
  ['thermostat_operating_state', 'state'],
  ['67', 'setpoint'],
  ['thermostat_setpoint', 'setpoint'],
] as const);

type About = 'sensor' | 'meter' | 'state' | 'setpoint';

/** What is on a topic of Z-Wave JS UI; `node`: the topic of the node, its prefix among it. */
export type ZwaveTopic =
  | { about: About; node: string; endpoint: number; property: string; key: number | null }
  | { about: 'status'; node: string }
  | { about: 'command' };

const WORDS = [...CLASSES.keys()].filter((word) => !/^\d/.test(word)).join('|');
/**
 * The end of a value's topic. As much as possible is the node's, so that one that is called like a class (`zwave/50/50/0/value/65537`)
 * is one.
 */
const VALUE = new RegExp(
  `^(.+)/(?:(49|50|66|67)/(\\d{1,3})|(${WORDS})/endpoint_(\\d{1,3}))/([A-Za-z][^/]*)(?:/(\\d{1,9}))?(/set)?$`,
);
const STATUS = '/status';

/** Reads a topic by its end: its prefix, a location and a name are the owner's own, slashes among them. Null: not in this shape. */
export function parseZwaveTopic(topic: string): ZwaveTopic | null {
  const [, node, number, numbered, name, named, property, key, set] = VALUE.exec(topic) ?? [];
  const about = CLASSES.get((number ?? name) as '49');
  // A node is below a prefix.
  if (node?.includes('/') && property && about) {
    if (set) return { about: 'command' };
    return { about, node, endpoint: Number(numbered ?? named), property, key: key === undefined ? null : Number(key) };
  }
  const ofNode = topic.endsWith(STATUS) ? topic.slice(0, -STATUS.length) : '';
  return ofNode.includes('/') && !ofNode.includes('/_CLIENTS/') ? { about: 'status', node: ofNode } : null;
}
