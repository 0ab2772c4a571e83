/** Retained topic on which a bridge describes itself; the base topic precedes it. */
const BRIDGE = /^(.+)\/bridge\/(info|state|devices)$/;
const DEFAULT_BASE = 'zigbee2mqtt';
const AVAILABILITY = '/availability';
const COMMANDS = new Set(['set', 'get']);

export interface BridgeTopic {
  base: string;
  leaf: 'info' | 'state' | 'devices';
}

/** Parses the topics that announce the base and the devices of a Zigbee2MQTT; returns null for every other topic. */
export function parseBridgeTopic(topic: string): BridgeTopic | null {
  const [, base, leaf] = BRIDGE.exec(topic) ?? [];
  return base && leaf ? { base, leaf: leaf as BridgeTopic['leaf'] } : null;
}

export interface Zigbee2MqttTopic {
  base: string;
  /** Type of the topic; `none` for topics of the bridge itself and for commands. */
  about: 'none' | 'availability' | 'state';
  /** Text after the base: the friendly name, which may contain slashes, and with attribute output the attribute. */
  name: string;
}

const isBelow = (base: string, topic: string) => topic[base.length] === '/' && topic.startsWith(base);

/** Parses a topic under the default base or the longest matching one of `bases`; returns null for every other topic. */
export function parseZigbee2MqttTopic(topic: string, bases: Iterable<string>): Zigbee2MqttTopic | null {
  // Must be fast, because every message of other families passes this function.
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
