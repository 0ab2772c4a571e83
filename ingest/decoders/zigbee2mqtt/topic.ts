/** What the bridge says of itself, retained; whatever stands before it is the base topic. */
const BRIDGE = /^(.+)\/bridge\/(info|state|devices)$/;
const DEFAULT_BASE = 'zigbee2mqtt';
const AVAILABILITY = '/availability';
const COMMANDS = new Set(['set', 'get']);

export interface BridgeTopic {
  base: string;
  leaf: 'info' | 'state' | 'devices';
}

/** Reads the topics that tell where a Zigbee2MQTT is, and what it has; null for every other one. */
export function parseBridgeTopic(topic: string): BridgeTopic | null {
  const [, base, leaf] = BRIDGE.exec(topic) ?? [];
  return base && leaf ? { base, leaf: leaf as BridgeTopic['leaf'] } : null;
}

export interface Zigbee2MqttTopic {
  base: string;
  /** `none`: of the bridge, or a command. */
  about: 'none' | 'availability' | 'state';
  /** What follows the base: the friendly name, which may hold slashes, and with attribute output the attribute. */
  name: string;
}

const isBelow = (base: string, topic: string) => topic[base.length] === '/' && topic.startsWith(base);

/** Reads a topic under the default base or one of `bases`, of which the longest counts; null for every other one. */
export function parseZigbee2MqttTopic(topic: string, bases: Iterable<string>): Zigbee2MqttTopic | null {
  // Every message of others comes by here, too.
  let base = isBelow(DEFAULT_BASE, topic) ? DEFAULT_BASE : '';
  for (const one of bases) if (one.length > base.length && isBelow(one, topic)) base = one;
  const rest = topic.slice(base.length + 1);
  if (base === '' || rest === '') return null;
  const words = rest.split('/');
  if (words[0] === 'bridge' || words.some((word) => COMMANDS.has(word))) return { base, about: 'none', name: rest };
  return rest.length > AVAILABILITY.length && rest.endsWith(AVAILABILITY)
    ? { base, about: 'availability', name: rest.slice(0, -AVAILABILITY.length) }
    : { base, about: 'state', name: rest };
}
