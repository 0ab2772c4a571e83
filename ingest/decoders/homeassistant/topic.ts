/**
 * Matches the discovery topic `homeassistant/<component>/[<node>/]<object>/config`. The topic `homeassistant/device/<id>/config` announces
 * a whole device.
 */
const CONFIG = /^homeassistant\/([a-z_]+)\/(?:([^/]+)\/)?([^/]+)\/config$/;
/** Components whose entities are read; configurations of other components are ignored. */
const LEARNT = new Set(['sensor', 'climate', 'device']);

export interface ConfigTopic {
  component: string;
  /** Node id in the topic; often the device's name. */
  node?: string;
  object: string;
}

/** Parses the topic of an announcement; returns null for every other topic. */
export function parseConfigTopic(topic: string): ConfigTopic | null {
  const [, component, node, object] = CONFIG.exec(topic) ?? [];
  return component && object ? { component, object, ...(node ? { node } : {}) } : null;
}

/** Whether a topic announces a readable component: a sensor, a thermostat, or a device with several entities. */
export const isReadableConfigTopic = (topic: string): boolean => {
  const parsed = parseConfigTopic(topic);
  return parsed !== null && LEARNT.has(parsed.component);
};
