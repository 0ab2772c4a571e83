import type { DeviceMessage } from '../family.ts';
import { getOwnMember, type Json, readJson, toObjectOrNull } from '../read/payload.ts';
import type { AnnouncedVolume } from './state.ts';
import { parseBridgeTopic } from './topic.ts';
import { parseAnnouncedVolume } from './volume.ts';

/** How Zigbee2MQTT publishes: one JSON object, a topic for each attribute, or both. */
export type Zigbee2MqttOutput = 'json' | 'attribute' | 'attribute_and_json';

/** One Zigbee2MQTT instance. A home may have several, each with its own base topic. */
export interface Zigbee2MqttBridge {
  /** Output format of the instance; null if it has not published it. */
  output: Zigbee2MqttOutput | null;
  devices: Map<string, Announced>;
}

interface Announced {
  attributes: Set<string>;
  volumes: Map<string, AnnouncedVolume>;
}

export type BridgesByBaseTopic = Map<string, Zigbee2MqttBridge>;

// Limits on the memory that the messages of one broker can occupy.
const MAX_BRIDGES = 50;
const MAX_DEVICES = 5_000;
const MAX_ATTRIBUTES = 500;
const OUTPUTS = new Set(['json', 'attribute', 'attribute_and_json']);

/** Learns base topics, output formats and devices from the messages that bridges publish about themselves. */
export function cacheBridgeState(bridges: BridgesByBaseTopic, { topic, payload }: DeviceMessage): void {
  const parsed = parseBridgeTopic(topic);
  if (!parsed) return;
  const { base, leaf } = parsed;
  const body = readJson(payload);
  if (leaf === 'state') {
    // A plain word as state is ignored, because other programs also publish plain words on such topics. Zigbee2MQTT 1.17 and later is also
    // recognised by its `bridge/devices`.
    const state = getOwnMember(toObjectOrNull(body), 'state');
    if (state === 'online' || state === 'offline') bridgeAt(bridges, base);
  } else if (leaf === 'info') {
    const info = toObjectOrNull(body);
    const config = toObjectOrNull(getOwnMember(info, 'config'));
    if (!config && getOwnMember(info, 'coordinator') === undefined) return;
    const bridge = bridgeAt(bridges, base);
    if (bridge) bridge.output = outputOf(config);
  } else if (Array.isArray(body)) {
    const devices = devicesOf(body);
    const bridge = devices.size > 0 ? bridgeAt(bridges, base) : bridges.get(base);
    if (bridge) bridge.devices = devices;
  }
}

function bridgeAt(bridges: BridgesByBaseTopic, base: string): Zigbee2MqttBridge | undefined {
  const known = bridges.get(base);
  if (known || bridges.size >= MAX_BRIDGES) return known;
  const bridge: Zigbee2MqttBridge = { output: null, devices: new Map() };
  bridges.set(base, bridge);
  return bridge;
}

/** Returns the output format in a bridge's configuration: under `advanced`, in older versions under `experimental`. */
function outputOf(config: Json | null): Zigbee2MqttOutput | null {
  const read = (section: string) => getOwnMember(toObjectOrNull(getOwnMember(config, section)), 'output');
  const output = read('advanced') ?? read('experimental');
  return typeof output === 'string' && OUTPUTS.has(output) ? (output as Zigbee2MqttOutput) : null;
}

function devicesOf(list: readonly unknown[]): Zigbee2MqttBridge['devices'] {
  const devices: Zigbee2MqttBridge['devices'] = new Map();
  for (const one of list.slice(0, MAX_DEVICES)) {
    const device = toObjectOrNull(one);
    const name = getOwnMember(device, 'friendly_name');
    if (typeof name !== 'string' || typeof getOwnMember(device, 'ieee_address') !== 'string') continue;
    const announced: Announced = { attributes: new Set(), volumes: new Map() };
    addAttributes(announced, getOwnMember(toObjectOrNull(getOwnMember(device, 'definition')), 'exposes'), 0);
    devices.set(name, announced);
  }
  return devices;
}

/** Adds the attributes that a device exposes. Attributes are nested: the set-point is a feature of an exposed `climate`. */
function addAttributes(announced: Announced, exposes: unknown, depth: number): void {
  if (!Array.isArray(exposes) || depth > 5) return;
  for (const one of exposes) {
    if (announced.attributes.size >= MAX_ATTRIBUTES) return;
    const exposed = toObjectOrNull(one);
    const property = getOwnMember(exposed, 'property');
    const volume = parseAnnouncedVolume(exposed);
    if (typeof property === 'string') {
      announced.attributes.add(property);
      if (volume) announced.volumes.set(property, volume);
    }
    addAttributes(announced, getOwnMember(exposed, 'features'), depth + 1);
  }
}
