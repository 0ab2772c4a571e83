import type { DeviceMessage } from '../family.ts';
import { asObjectOrNull, getMember, type Json, readJson } from '../read/payload.ts';
import type { VolumeAttribute } from './state.ts';
import { parseBridgeTopic } from './topic.ts';
import { parseVolumeAttribute } from './volume.ts';

/** How Zigbee2MQTT publishes: one JSON object, a topic for each attribute, or both. */
export type Zigbee2MqttOutputFormat = 'json' | 'attribute' | 'attribute_and_json';

/** One Zigbee2MQTT instance. A home may have several, each with its own base topic. */
export interface Zigbee2MqttBridge {
  /** Output format of the instance; null if the instance has not published its format. */
  output: Zigbee2MqttOutputFormat | null;
  devices: Map<string, Announced>;
}

interface Announced {
  attributes: Set<string>;
  /** Units of powers and energies. */
  units: Map<string, string>;
  volumes: Map<string, VolumeAttribute>;
}

export type BridgesByBaseTopic = Map<string, Zigbee2MqttBridge>;

// Limits for the cache, because the messages of a broker must not fill the memory.
const MAX_BRIDGES = 50;
const MAX_DEVICES = 5_000;
const MAX_ATTRIBUTES = 500;
/** Matches the names of powers and energies. */
const FLOW = /power|energy|summ_/;

const OUTPUTS = new Set(['json', 'attribute', 'attribute_and_json']);

/** Stores base topics, output formats and devices from the messages that bridges publish about themselves. */
export function cacheBridgeState(bridges: BridgesByBaseTopic, { topic, payload }: DeviceMessage): void {
  const parsed = parseBridgeTopic(topic);
  if (!parsed) return;
  const { base, leaf } = parsed;
  const body = readJson(payload);
  if (leaf === 'state') {
    // A state that is a plain word is ignored, because other programs also publish plain words on such topics. Zigbee2MQTT 1.17 and later
    // also publishes `bridge/devices`, by which the bridge is recognised.
    const state = getMember(asObjectOrNull(body), 'state');
    if (state === 'online' || state === 'offline') bridgeAt(bridges, base);
  } else if (leaf === 'info') {
    const info = asObjectOrNull(body);
    const config = asObjectOrNull(getMember(info, 'config'));
    if (!config && getMember(info, 'coordinator') === undefined) return;
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

/** Returns the output format in a bridge's configuration: below `advanced`, or in older versions below `experimental`. */
function outputOf(config: Json | null): Zigbee2MqttOutputFormat | null {
  const read = (section: string) => getMember(asObjectOrNull(getMember(config, section)), 'output');
  const output = read('advanced') ?? read('experimental');
  return typeof output === 'string' && OUTPUTS.has(output) ? (output as Zigbee2MqttOutputFormat) : null;
}

function devicesOf(list: readonly unknown[]): Zigbee2MqttBridge['devices'] {
  const devices: Zigbee2MqttBridge['devices'] = new Map();
  for (const one of list.slice(0, MAX_DEVICES)) {
    const device = asObjectOrNull(one);
    const name = getMember(device, 'friendly_name');
    if (typeof name !== 'string' || typeof getMember(device, 'ieee_address') !== 'string') continue;
    const announced: Announced = { attributes: new Set(), units: new Map(), volumes: new Map() };
    addAttributes(announced, getMember(asObjectOrNull(getMember(device, 'definition')), 'exposes'), 0);
    devices.set(name, announced);
  }
  return devices;
}

/**
 * Adds the attributes of a device from the bridge's description of the device. Attributes may be nested: the set-point is a feature of a
 * `climate`.
 */
function addAttributes(announced: Announced, exposes: unknown, depth: number): void {
  if (!Array.isArray(exposes) || depth > 5) return;
  for (const one of exposes) {
    if (announced.attributes.size >= MAX_ATTRIBUTES) return;
    const exposed = asObjectOrNull(one);
    const property = getMember(exposed, 'property');
    const volume = parseVolumeAttribute(exposed);
    if (typeof property === 'string') {
      const unit = getMember(exposed, 'unit');
      announced.attributes.add(property);
      if (typeof unit === 'string' && unit !== '' && FLOW.test(property))
        announced.units.set(property, unit.slice(0, 20));
      if (volume) announced.volumes.set(property, volume);
    }
    addAttributes(announced, getMember(exposed, 'features'), depth + 1);
  }
}
