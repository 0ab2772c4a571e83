const EVENTS = /^(.+)\/events\/rpc$/;
const COMPONENT = /^(.+)\/status\/([a-z][a-z0-9_]*:\d+)$/;
const RPC = /^(.+)\/rpc$/;
const ONLINE = /^(.+)\/online$/;
/** `switch:0`; a number with leading zeros would be a second name of the same component. */
const COMPONENT_NAME = /^([a-z][a-z0-9_]*):(0|[1-9]\d{0,4})$/;
/** What a device calls itself when nobody has named it: its model and its MAC. */
const DEFAULT_ID = /^shelly[a-z0-9]*-[0-9a-f]{12}$/;
/** What is on a topic of a Shelly Gen2, Gen3 or Gen4; `prefix` is the owner's own text, the device's id by default. */
export type ShellyTopic =
  | { prefix: string; leaf: 'events' | 'rpc' | 'online' }
  | { prefix: string; leaf: 'component'; component: Component };

/** A part of a device, as its status names it: `switch:0`. */
export interface Component {
  type: string;
  id: number;
}

/** Reads a topic by its end, as its beginning may be anything; null: not in the shape of a Gen2 device. */
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

/** Reads `switch:0`; null where it is no component with a number (`sys`, `wifi`). */
export function parseComponent(name: string): Component | null {
  const [, type, id] = COMPONENT_NAME.exec(name) ?? [];
  return type && id ? { type, id: Number(id) } : null;
}

/** The device's default id at the end of a prefix (`shellies/shellyplus1pm-4417939341dc`); null where there is none. */
export function defaultIdOf(prefix: string): string | null {
  const last = prefix.slice(prefix.lastIndexOf('/') + 1);
  return DEFAULT_ID.test(last) ? last : null;
}
