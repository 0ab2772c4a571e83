/** Matches the retained topics on which a bridge publishes information about itself. The base topic precedes `bridge`. */
const BRIDGE = /^(.+)\/bridge\/(info|state|devices)$/;
const DEFAULT_BASE = 'zigbee2mqtt';
const AVAILABILITY = '/availability';
const COMMANDS = new Set(['set', 'get']);

interface BridgeTopic {
  base: string;
  leaf: 'info' | 'state' | 'devices';
}

/** Parses a retained topic on which a bridge publishes information about itself or its devices; returns null for every other topic. */
export function parseBridgeTopic(topic: string): BridgeTopic | null {
  const [, base, leaf] = BRIDGE.exec(topic) ?? [];
  return base && leaf ? { base, leaf: leaf as BridgeTopic['leaf'] } : null;
}

interface Zigbee2MqttTopic {
  base: string;
  /** Type of the topic; `none` for topics of the bridge itself and for commands. */
  about: 'none' | 'availability' | 'state';
  /** Topic below the base: the device's friendly name, which may contain slashes. With attribute output, the attribute follows. */
  name: string;
}

const isBelow = (base: string, topic: string) => topic[base.length] === '/' && topic.startsWith(base);

/** Parses a topic below the longest matching base in `bases`, or below the default base; returns null for every other topic. */
export function parseZigbee2MqttTopic(topic: string, bases: Iterable<string>): Zigbee2MqttTopic | null {
  // The search for the base must be fast, because this function is also called for the messages of all other families.
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
