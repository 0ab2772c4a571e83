const EVENTS = /^(.+)\/events\/rpc$/;
const COMPONENT = /^(.+)\/status\/([a-z][a-z0-9_]*:\d+)$/;
const RPC = /^(.+)\/rpc$/;
const ONLINE = /^(.+)\/online$/;
/** Name of a component, such as `switch:0`. Leading zeros are excluded, because they would give the same component a second name. */
const COMPONENT_NAME = /^([a-z][a-z0-9_]*):(0|[1-9]\d{0,4})$/;
/** Default id of a device: its model and its MAC. */
const DEFAULT_ID = /^shelly[a-z0-9]*-[0-9a-f]{12}$/;
/** Parsed topic of a Shelly Gen2, Gen3 or Gen4. `prefix`: by default the device's id; the owner can choose another text. */
export type ShellyTopic =
  | { prefix: string; leaf: 'events' | 'rpc' | 'online' }
  | { prefix: string; leaf: 'component'; component: ShellyComponent };

/** A component of a device, as its status names it: `switch:0`. */
export interface ShellyComponent {
  type: string;
  id: number;
}

/**
 * Parses a topic by its end, because the owner chooses its beginning. Returns null if the topic does not have the form of a Gen2 device.
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

/** Returns the default id at the end of a prefix (`shellies/shellyplus1pm-4417939341dc`); null if there is none. */
export function findDefaultDeviceId(prefix: string): string | null {
  const last = prefix.slice(prefix.lastIndexOf('/') + 1);
  return DEFAULT_ID.test(last) ? last : null;
}
