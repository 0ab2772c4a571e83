import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readJson, readText } from '../read/payload.ts';
import { fromIso, trusted } from '../read/time.ts';
import { attributeOf, publishingOf } from './attribute.ts';
import { hearClimate } from './climate.ts';
import { hearEnergy } from './energy.ts';
import { type Bridge, type Bridges, learnBridge } from './memory.ts';
import type { Volume } from './state.ts';
import { parseBridgeTopic, parseZigbee2MqttTopic } from './topic.ts';
import { hearVolumes } from './volume.ts';

const NO_VOLUMES: ReadonlyMap<string, Volume> = new Map();

/** Zigbee devices behind Zigbee2MQTT: meters, plugs, thermostats, valves, sensors. */
export const zigbee2mqtt: Family<Bridges> = {
  name: 'zigbee2mqtt',
  remembers: (topic) => parseBridgeTopic(topic) !== null,
  newMemory: () => new Map(),
  learn: learnBridge,
  decode,
};

function decode(message: DeviceMessage, settings: DecoderSettings, bridges: Bridges): Heard | null {
  const parsed = parseZigbee2MqttTopic(message.topic, bridges.keys());
  if (!parsed) return null;
  const { base, about, name } = parsed;
  // An empty payload takes a retained message away, when a device is renamed or has left.
  if (about === 'none' || message.payload.length === 0) return nothing();
  if (about === 'availability') return decodeAvailability(name, message.payload);
  const bridge = bridges.get(base);
  const body = asObject(readJson(message.payload));
  if (body) return decodeState(name, body, message, settings, bridge);
  const found = attributeOf(name, publishingOf(settings.zigbee2mqtt, bridge));
  if (found.is === 'nothing') return nothing();
  if (found.is === 'rubbish')
    return refusal('payload is not a JSON object; with attribute output the names of the devices must be known');
  const text = readText(message.payload);
  if (text === null) return refusal('payload is not text');
  return decodeState(found.device, { [found.attribute]: text }, message, settings, bridge);
}

function decodeState(
  device: string,
  attributes: Json,
  { receivedAtMs }: DeviceMessage,
  { tz }: DecoderSettings,
  bridge: Bridge | undefined,
): Heard {
  const heard = hearing();
  const seen = member(attributes, 'last_seen');
  const atMs = trusted(typeof seen === 'number' ? seen : fromIso(seen, { tz, receivedAtMs }), receivedAtMs);
  const announced = bridge?.devices.get(device);
  const has = (name: string) => Object.hasOwn(attributes, name) || announced?.attributes.has(name) === true;
  const state = { device, attributes, atMs, has, volumes: announced?.volumes ?? NO_VOLUMES };
  hearEnergy(heard, state);
  hearVolumes(heard, state);
  hearClimate(heard, state);
  return heard;
}

/** `{"state": "online"}`, and the bare word of older versions. */
function decodeAvailability(device: string, payload: Buffer): Heard {
  const body = readJson(payload);
  const value = body === undefined ? readText(payload) : (member(asObject(body), 'state') ?? null);
  if (value === null) return refusal('availability has no state');
  const heard = hearing();
  heard.addState({ device, channel: 'device', kind: 'availability', value, name: 'availability' });
  return heard;
}
