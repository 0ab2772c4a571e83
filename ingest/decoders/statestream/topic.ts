/** What is told of an entity that later messages need. */
const ATTRIBUTES = ['unit_of_measurement', 'device_class', 'state_class', 'friendly_name'] as const;
export type Attribute = (typeof ATTRIBUTES)[number];

/** What is on a topic of the state stream. `device`: the topic of the entity. */
export type StreamTopic = { device: string; object: string } & (
  | { about: 'state' | 'action' }
  | { about: 'attribute'; attribute: Attribute }
);

const SENSOR = new RegExp(`^(.+/sensor/([a-z0-9_]{1,200}))/(state|${ATTRIBUTES.join('|')})$`);
const CLIMATE = /^(.+\/climate\/([a-z0-9_]{1,200}))\/hvac_action$/;

/** Reads `{base}/{domain}/{object}/{what}`, the base being its owner's; null for every other topic. */
export function parseStreamTopic(topic: string): StreamTopic | null {
  const [, device, object, what] = SENSOR.exec(topic) ?? [];
  if (device && object && what) {
    if (what === 'state') return { about: 'state', device, object };
    return { about: 'attribute', device, object, attribute: what as Attribute };
  }
  const [, climate, ofClimate] = CLIMATE.exec(topic) ?? [];
  return climate && ofClimate ? { about: 'action', device: climate, object: ofClimate } : null;
}
