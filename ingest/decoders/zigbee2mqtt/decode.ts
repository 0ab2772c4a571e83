import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { findEnergyScale, findPowerScale } from '../homeassistant/units.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json, readJson, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import {
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
  type MessageQuantity,
  type ValueCollector,
} from '../read/value-collector.ts';
import { findVolumeScale } from '../read/volume.ts';
import {
  type BridgesByBaseTopic,
  cacheBridgeState,
  type Zigbee2MqttBridge,
  type Zigbee2MqttOutputFormat,
} from './memory.ts';
import {
  CONSUMPTION,
  isConsumptionRegister,
  isMeterAttribute,
  isOfClamp,
  isPlug,
  METER_ATTRIBUTE_PATTERNS,
  SETPOINTS,
  type VolumeAttribute,
  type ZigbeeDeviceState,
} from './state.ts';
import { parseBridgeTopic, parseZigbee2MqttTopic } from './topic.ts';
import { addVolumes } from './volume.ts';

/** Classification of a message that is not a JSON object. */
type AttributeMessage =
  | { is: 'attribute'; device: string; attribute: string }
  /**
   * The message contains nothing to decode: the bridge repeats the value in a JSON message, or the device is not in the list of devices.
   */
  | { is: 'nothing' }
  /** A device's message that must be a JSON object but is not. */
  | { is: 'rubbish' };

/** Output format of a bridge, and the names of its devices. The owner's settings take precedence over the bridge's own messages. */
interface Publishing {
  output: Zigbee2MqttOutputFormat | null;
  names: ReadonlySet<string>;
}

function publishingOf(
  set: { output?: Zigbee2MqttOutputFormat; devices?: readonly string[] } | undefined,
  bridge: Zigbee2MqttBridge | undefined,
): Publishing {
  const output = set?.output ?? bridge?.output ?? null;
  return { output, names: new Set([...(set?.devices ?? []), ...(bridge?.devices.keys() ?? [])]) };
}

/**
 * Distinguishes `{friendly name}/{attribute}` from a device name that contains a slash. If the levels before the last one are the name of a
 * device, the last level is an attribute. Attributes never contain a slash.
 */
function attributeOf(name: string, { output, names }: Publishing): AttributeMessage {
  const cut = name.lastIndexOf('/');
  if (cut < 1 || names.has(name) || output === 'json') return { is: 'rubbish' };
  if (output === 'attribute_and_json') return { is: 'nothing' };
  const device = name.slice(0, cut);
  const known = names.has(device) || (output === 'attribute' && names.size === 0);
  if (known) return { is: 'attribute', device, attribute: name.slice(cut + 1) };
  return { is: output === 'attribute' ? 'nothing' : 'rubbish' };
}

const CHANNEL = 'room';
/**
 * Attributes that contain the room temperature, most reliable first. Only one of them is used per device, so that they cannot contradict
 * each other.
 */
const TEMPERATURES = ['local_temperature', 'temperature'];
const HEATINGS = ['running_state', 'pi_heating_demand', 'position'];
/** Running states of a thermostat. True means that it heats; running the fan or cooling is not heating. */
const RUNNING = new Map<unknown, boolean>([
  ['heat', true],
  ['idle', false],
  ['cool', false],
  ['fan_only', false],
]);

/** Reads room temperature, set-point and heating of thermostats, valves and sensors. */
function hearClimate(collector: ValueCollector, state: ZigbeeDeviceState): void {
  const { device, attributes, atMs } = state;
  // An attribute that is null is skipped, so that the next attribute in the list is used.
  const best = (names: readonly string[]) =>
    names.find((name) => state.has(name) && getMember(attributes, name) !== null);
  const temperature = isPlug(state) ? undefined : best(TEMPERATURES);
  const setpoint = best(SETPOINTS);
  const add = (kind: 'temperature_c' | 'setpoint_c', name: string | undefined) => {
    if (name) collector.add({ device, channel: CHANNEL, kind, value: getMember(attributes, name), atMs, name });
  };
  add('temperature_c', temperature);
  add('setpoint_c', setpoint);
  const heating = best(HEATINGS);
  // Blinds also have an attribute `position`, which is not heating.
  if (heating === 'position' && !setpoint && !state.has('local_temperature')) return;
  if (heating) hearHeating(collector, state, heating);
}

function hearHeating(collector: ValueCollector, { device, attributes, atMs }: ZigbeeDeviceState, name: string): void {
  const value = getMember(attributes, name);
  if (name === 'running_state') {
    collector.addState({ device, channel: CHANNEL, kind: 'heating', value: RUNNING.get(value) ?? value, atMs, name });
    return;
  }
  const percent = readNumber(value);
  if (percent === null) return;
  if (percent === undefined || percent < 0) collector.refuse(`${name} is not a percentage`);
  else collector.addState({ device, channel: CHANNEL, kind: 'heating', value: percent > 0, atMs, name });
}

/** Matches endpoints that are circuits: the buttons of a switch, or the sockets of a power strip. */
const CIRCUIT = /^(left|right|center|top|bottom|(top|center|bottom)_(left|right)|\d{1,2})$/;

/** Attributes that contain the unit of the metering cluster's register. */
const CLUSTER_UNITS = ['unitOfMeasure', 'unit_of_measure'];

/**
 * Returns the unit that the message or the bridge's announcement states for a power or an energy; undefined if the usual unit applies, and
 * an empty text if the device has an attribute for the unit, but the message does not contain the unit.
 */
function unitOf(state: ZigbeeDeviceState, kind: 'energy_total_kwh' | 'power_w', name: string): string | undefined {
  const attribute = CLUSTER_UNITS.find(state.has);
  if (attribute === undefined) return state.units.get(name);
  const unit = getMember(state.attributes, attribute);
  const text = typeof unit === 'string' ? unit : '';
  // The attribute may contain the unit of the register (kWh). For the power, the announced or usual unit applies then.
  return kind === 'power_w' && (text === '' || findEnergyScale(text)) ? state.units.get(name) : text;
}

type Place = Pick<MessageQuantity, 'kind' | 'channel' | 'times' | 'per' | 'asks'>;

/**
 * Returns kind, channel and scale of a power or an energy. Pulse counters publish a volume under the name `energy`, and its unit in
 * another attribute (LiXee's ZiPulses), so the owner is asked about an `energy` in any unit that is not a unit of electricity. Returns null
 * for a `power` in such a unit.
 */
function placeOf(
  state: ZigbeeDeviceState,
  kind: 'energy_total_kwh' | 'power_w',
  channel: string,
  name: string,
): Place | null {
  const unit = unitOf(state, kind, name);
  const scale = unit === undefined ? {} : (kind === 'power_w' ? findPowerScale : findEnergyScale)(unit);
  // Electricity is never measured in joules.
  if (scale && !/j$/i.test(unit ?? '')) {
    if (name !== CONSUMPTION && !isOfClamp(state, name)) return { kind, channel, ...scale };
    return { kind, channel: `unknown/${name}`, ...scale, asks: { unit: kind === 'power_w' ? 'W' : 'kWh' } };
  }
  if (kind === 'power_w') return null;
  const volume = findVolumeScale(unit);
  return volume
    ? { kind: 'volume_total_m3', channel: `m3/unknown/${name}`, ...volume, asks: { unit: 'm³' } }
    : { kind, channel: `unknown/${name}`, ...scale, asks: { unit: scale ? 'kWh' : null } };
}

/** Reads registers and power. Ignores attributes with an unknown ending: `energy_today` resets each day. */
function hearEnergy(collector: ValueCollector, state: ZigbeeDeviceState): void {
  const { device, attributes, atMs } = state;
  // Channels that already have a value. Some devices publish the same register under two names, and only the first of them is used.
  const said = new Set<string>();
  const add = (
    kind: 'energy_total_kwh' | 'power_w',
    channel: string | null,
    name: string,
    value: unknown,
    sign = 1,
  ) => {
    if (channel === null || said.has(`${kind} ${channel}`)) return;
    said.add(`${kind} ${channel}`);
    const place = placeOf(state, kind, channel, name);
    if (place) collector.add({ device, ...place, value, times: sign * (place.times ?? 1), atMs, name });
  };
  for (const [name, value] of Object.entries(attributes)) {
    const energy = METER_ATTRIBUTE_PATTERNS.energy.exec(name);
    if (energy)
      add('energy_total_kwh', channelOf(energy[1]?.includes('produced') ? 'export' : 'import', energy[2]), name, value);
    if (name === CONSUMPTION && isConsumptionRegister(state)) add('energy_total_kwh', CONSUMPTION, name, value);
    const [, tier, way] = METER_ATTRIBUTE_PATTERNS.summation.exec(name) ?? [];
    if (way)
      add('energy_total_kwh', `${way === 'received' ? 'export' : 'import'}${tier ? `/t${tier}` : ''}`, name, value);
    const power = METER_ATTRIBUTE_PATTERNS.power.exec(name);
    if (power) {
      const channel = name === 'power' ? powerChannel(state) : channelOf('import', power[1]);
      add('power_w', channel, name, value, signOf(state, power[1]));
    }
  }
}

/** Returns the sign of a power. Clamps without a sign (PJ-1203A) publish the direction in a separate attribute. */
function signOf({ attributes }: ZigbeeDeviceState, ending: string | undefined): 1 | -1 {
  const flow = getMember(attributes, ending === undefined ? 'energy_flow' : `energy_flow_${ending}`);
  const power = Number(getMember(attributes, ending === undefined ? 'power' : `power_${ending}`));
  return flow === 'producing' && power > 0 ? -1 : 1;
}

/**
 * Returns the channel of the attribute `power`. If the device also has `power_phase_b` and `power_phase_c`, the channel is phase A, because
 * the standard cluster uses the plain name for this phase. (As a total, it would hide the other two phases.) If the device also has
 * `power_phase_a`, the channel is the total.
 */
const powerChannel = ({ has }: ZigbeeDeviceState): string =>
  (has('power_phase_b') || has('power_phase_c')) && !has('power_phase_a') ? 'import/l1' : 'import';

/** Returns the channel of an attribute by its ending; null if the ending has another meaning. */
function channelOf(direction: 'import' | 'export', ending: string | undefined): string | null {
  if (ending === undefined) return direction;
  const [, tier] = /^tier_([1-9]\d?)$/.exec(ending) ?? [];
  if (tier) return `${direction}/t${tier}`;
  const [, letter, digit] = /^(?:phase_)?(?:([abc])|l([1-9]))$/.exec(ending) ?? [];
  if (letter) return `${direction}/l${'abc'.indexOf(letter) + 1}`;
  if (digit) return `${direction}/l${digit}`;
  return CIRCUIT.test(ending) ? `${ending}/${direction}` : null;
}

const NO_UNITS: ReadonlyMap<string, string> = new Map();
const NO_VOLUMES: ReadonlyMap<string, VolumeAttribute> = new Map();

/** Decoder of Zigbee devices behind Zigbee2MQTT: meters, plugs, thermostats, valves, sensors. */
export const zigbee2mqttFamily: Family<BridgesByBaseTopic> = {
  name: 'zigbee2mqtt',
  remembers: (topic) => parseBridgeTopic(topic) !== null,
  newMemory: () => new Map(),
  learn: cacheBridgeState,
  decode,
};

function decode(
  message: DeviceMessage,
  settings: DecoderSettings,
  bridges: BridgesByBaseTopic,
): FamilyDecodeResult | null {
  const parsed = parseZigbee2MqttTopic(message.topic, bridges.keys());
  if (!parsed) return null;
  const { base, about, name } = parsed;
  // Zigbee2MQTT deletes the retained message of a renamed or removed device by an empty payload.
  if (about === 'none' || message.payload.length === 0) return createEmptyResult();
  if (about === 'availability') return decodeAvailability(name, message.payload);
  const bridge = bridges.get(base);
  const body = asObjectOrNull(readJson(message.payload));
  if (body) return decodeState(name, body, message, settings, bridge);
  const found = attributeOf(name, publishingOf(settings.zigbee2mqtt, bridge));
  if (found.is === 'nothing') return createEmptyResult();
  if (found.is === 'rubbish')
    return createRefusedResult(
      'payload is not a JSON object; with attribute output the names of the devices must be known',
    );
  const text = readText(message.payload);
  if (text === null) return createRefusedResult('payload is not text');
  return decodeState(found.device, { [found.attribute]: text }, message, settings, bridge);
}

function decodeState(
  device: string,
  attributes: Json,
  { receivedAtMs }: DeviceMessage,
  { tz }: DecoderSettings,
  bridge: Zigbee2MqttBridge | undefined,
): FamilyDecodeResult {
  const collector = createValueCollector();
  const seen = getMember(attributes, 'last_seen');
  const atMs = parseMessageTime(seen, typeof seen === 'number' ? 'ms' : 'iso', { tz, receivedAtMs });
  const announced = bridge?.devices.get(device);
  const has = (name: string) => Object.hasOwn(attributes, name) || announced?.attributes.has(name) === true;
  const state: ZigbeeDeviceState = {
    device,
    attributes,
    atMs,
    has,
    units: announced?.units ?? NO_UNITS,
    volumes: announced?.volumes ?? NO_VOLUMES,
  };
  hearEnergy(collector, state);
  addVolumes(collector, state);
  hearClimate(collector, state);
  const hasContent = collector.said.length + collector.refused.length > 0;
  return hasContent || Object.keys(attributes).some(isMeterAttribute) ? collector : { ...collector, isUnread: true };
}

/** Decodes the availability: `{"state": "online"}`, or `online` alone in older versions. */
function decodeAvailability(device: string, payload: Buffer): FamilyDecodeResult {
  const body = readJson(payload);
  const value = body === undefined ? readText(payload) : (getMember(asObjectOrNull(body), 'state') ?? null);
  if (value === null) return createRefusedResult('availability has no state');
  const collector = createValueCollector();
  collector.addState({ device, channel: 'device', kind: 'availability', value, name: 'availability' });
  return collector;
}
