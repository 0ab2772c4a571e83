const EVENTS = /^(.+)\/events\/rpc$/;
const COMPONENT = /^(.+)\/status\/([a-z][a-z0-9_]*:\d+)$/;
const RPC = /^(.+)\/rpc$/;
const ONLINE = /^(.+)\/online$/;
/**
 * Matches the name of a component, such as `switch:0`. Does not match a number with leading zeros, which would give the component a second
 * name.
 */
const COMPONENT_NAME = /^([a-z][a-z0-9_]*):(0|[1-9]\d{0,4})$/;
/** Matches the default id of a device: its model and its MAC address. */
const DEFAULT_ID = /^shelly[a-z0-9]*-[0-9a-f]{12}$/;
/** Parsed topic of a Shelly Gen2, Gen3 or Gen4. `prefix`: the device's id, or another text that the owner has chosen. */
type ShellyTopic =
  | { prefix: string; leaf: 'events' | 'rpc' | 'online' }
  | { prefix: string; leaf: 'component'; component: ShellyComponent };

/** A component of a device. Example: the device's status contains the component with type `switch` and id 0 under the name `switch:0`. */
export interface ShellyComponent {
  type: string;
  id: number;
}

/**
 * Parses a topic by its last levels, because the owner chooses the first ones. Returns null if the topic does not have the form of a Gen2
 * device.
 */
export function parseShellyGen2Topic(topic: string): ShellyTopic | null {
  const events = EVENTS.exec(topic)?.[1];
  if (events) return { prefix: events, leaf: 'events' };
  const [, prefix, name] = COMPONENT.exec(topic) ?? [];
  const component = name === undefined ? null : parseComponent(name);
  if (prefix && component) return { prefix, leaf: 'component', component };
  const rpc = RPC.exec(topic)?.[1];
  if (rpc) return { prefix: rpc, leaf: 'rpc' };
  const online = ONLINE.exec(topic)?.[1];
  return online ? { prefix: online, leaf: 'online' } : null;
}

/** Parses a component name such as `switch:0`; returns null for names without a number (`sys`, `wifi`). */
export function parseComponent(name: string): ShellyComponent | null {
  const [, type, id] = COMPONENT_NAME.exec(name) ?? [];
  return type && id ? { type, id: Number(id) } : null;
}

/** Returns the default id at the end of a prefix (`shellies/shellyplus1pm-4417939341dc`); null if the prefix does not end with one. */
export function findDefaultDeviceId(prefix: string): string | null {
  const last = prefix.slice(prefix.lastIndexOf('/') + 1);
  return DEFAULT_ID.test(last) ? last : null;
}
