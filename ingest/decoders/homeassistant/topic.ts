/** `homeassistant/<component>/[<node>/]<object>/config`; `homeassistant/device/<id>/config` announces a whole device. */
const CONFIG = /^homeassistant\/([a-z_]+)\/(?:([^/]+)\/)?([^/]+)\/config$/;
/** Components out of which something is read; the others' configurations are nobody's readings. */
const LEARNT = new Set(['sensor', 'climate', 'device']);

export interface ConfigTopic {
  component: string;
  /** Often the device's name. */
  node?: string;
  object: string;
}

/** Reads the topic of an announcement; null for every other one. */
export function parseConfigTopic(topic: string): ConfigTopic | null {
  const [, component, node, object] = CONFIG.exec(topic) ?? [];
  return component && object ? { component, object, ...(node ? { node } : {}) } : null;
}

/** Whether it announces what can be read: a sensor, a thermostat, or a device with several parts. */
export const announcesReadings = (topic: string): boolean => {
  const parsed = parseConfigTopic(topic);
  return parsed !== null && LEARNT.has(parsed.component);
};
