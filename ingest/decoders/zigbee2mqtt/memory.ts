import type { DeviceMessage } from '../family.ts';
import { asObject, type Json, member, readJson, readText } from '../read/payload.ts';
import type { Volume } from './state.ts';
import { parseBridgeTopic } from './topic.ts';
import { volumeOf } from './volume.ts';

/** How Zigbee2MQTT publishes: one JSON object, a topic for each attribute, or both. */
export type Output = 'json' | 'attribute' | 'attribute_and_json';

/** One Zigbee2MQTT instance. A home may have several, each with its own base topic. */
export interface Bridge {
  /** Output format of the instance; null if it has not published it. */
  output: Output | null;
  devices: Map<string, Announced>;
}

interface Announced {
  attributes: Set<string>;
  volumes: Map<string, Volume>;
}

export type Bridges = Map<string, Bridge>;

// Bounds on the memory that one broker can occupy.
const MAX_BRIDGES = 50;
const MAX_DEVICES = 5_000;
const MAX_ATTRIBUTES = 500;
const OUTPUTS = new Set(['json', 'attribute', 'attribute_and_json']);

/** Learns base topics, output format and devices from the messages of a bridge about itself. */
export function learnBridge(bridges: Bridges, { topic, payload }: DeviceMessage): void {
  const parsed = parseBridgeTopic(topic);
  if (!parsed) return;
  const { base, leaf } = parsed;
  const body = readJson(payload);
  if (leaf === 'state') {
    // Older versions publish the state as a bare word.
    const state = member(asObject(body), 'state') ?? readText(payload);
    if (state === 'online' || state === 'offline') bridgeAt(bridges, base);
  } else if (leaf === 'info') {
    const info = asObject(body);
    const config = asObject(member(info, 'config'));
    if (!config && member(info, 'coordinator') === undefined) return;
    const bridge = bridgeAt(bridges, base);
    if (bridge) bridge.output = outputOf(config);
  } else if (Array.isArray(body)) {
    const devices = devicesOf(body);
    const bridge = devices.size > 0 ? bridgeAt(bridges, base) : bridges.get(base);
    if (bridge) bridge.devices = devices;
  }
}

function bridgeAt(bridges: Bridges, base: string): Bridge | undefined {
  const known = bridges.get(base);
  if (known || bridges.size >= MAX_BRIDGES) return known;
  const bridge: Bridge = { output: null, devices: new Map() };
  bridges.set(base, bridge);
  return bridge;
}

/** Returns the output format, which is under `advanced`, in older versions under `experimental`. */
function outputOf(config: Json | null): Output | null {
  const read = (section: string) => member(asObject(member(config, section)), 'output');
  const output = read('advanced') ?? read('experimental');
  return typeof output === 'string' && OUTPUTS.has(output) ? (output as Output) : null;
}

function devicesOf(list: readonly unknown[]): Bridge['devices'] {
  const devices: Bridge['devices'] = new Map();
  for (const one of list.slice(0, MAX_DEVICES)) {
    const device = asObject(one);
    const name = member(device, 'friendly_name');
    if (typeof name !== 'string' || typeof member(device, 'ieee_address') !== 'string') continue;
    const announced: Announced = { attributes: new Set(), volumes: new Map() };
    addAttributes(announced, member(asObject(member(device, 'definition')), 'exposes'), 0);
    devices.set(name, announced);
  }
  return devices;
}

/** Adds the attributes that a device exposes. They are nested: a climate has its set-point among its features. */
function addAttributes(announced: Announced, exposes: unknown, depth: number): void {
  if (!Array.isArray(exposes) || depth > 5) return;
  for (const one of exposes) {
    if (announced.attributes.size >= MAX_ATTRIBUTES) return;
    const exposed = asObject(one);
    const property = member(exposed, 'property');
    const volume = volumeOf(exposed);
    if (typeof property === 'string') {
      announced.attributes.add(property);
      if (volume) announced.volumes.set(property, volume);
    }
    addAttributes(announced, member(exposed, 'features'), depth + 1);
  }
}
