import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { asObjectOrNull, getMember, type Json, parseJsonObject, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';
import { isReadableComponent, readComponent, readComponents } from './components.ts';
import {
  cacheDeviceIdOfPrefix,
  canIdentifyDeviceOfPrefix,
  type DeviceIdsByPrefix,
  getDeviceIdOfPrefix,
  isNewPrefix,
  isShellyPrefix,
  parseSenderDeviceId,
} from './prefixes.ts';
import { findDefaultDeviceId, parseShellyGen2Topic, type ShellyComponent } from './topic.ts';

/** Methods of notifications that contain a status. Excludes `NotifyEvent`, which reports button presses and similar events. */
const STATUS_METHODS = new Set(['NotifyStatus', 'NotifyFullStatus']);

/** Decoder of Shelly Gen2, Gen3 and Gen4. Decodes notification frames, the status of components, and the availability. */
export const shellyGen2Family: Family<DeviceIdsByPrefix> = {
  name: 'shelly-gen2',
  takes: (topic) => parseShellyGen2Topic(topic) !== null,
  remembers: canIdentifyDeviceOfPrefix,
  newMemory: () => new Map(),
  isNews: isNewPrefix,
  learn: cacheDeviceIdOfPrefix,
  decode,
};

function decode(
  message: DeviceMessage,
  _settings: DecoderSettings,
  prefixes: DeviceIdsByPrefix,
): FamilyDecodeResult | null {
  const parsed = parseShellyGen2Topic(message.topic);
  if (!parsed) return null;
  const { payload } = message;
  const { prefix } = parsed;
  if (parsed.leaf === 'component') {
    return decodeComponent(payload, parsed.component, getDeviceIdOfPrefix(prefix, prefixes));
  }
  if (parsed.leaf === 'events') return decodeFrame(message);
  if (parsed.leaf === 'rpc') return decodeReply(parseJsonObject(payload));
  return isShellyPrefix(prefix, prefixes) ? decodeOnline(payload, getDeviceIdOfPrefix(prefix, prefixes)) : null;
}

function decodeComponent(payload: Buffer, component: ShellyComponent, device: string): FamilyDecodeResult | null {
  if (!isReadableComponent(component)) return null;
  // An empty payload only deletes a retained message and contains no value.
  if (payload.length === 0) return createEmptyResult();
  const value = parseJsonObject(payload);
  if (!value) return createRefusedResult('payload is not a JSON object');
  const collector = createValueCollector();
  // The status of a component contains no time of measurement: `minute_ts` is the start of the minute.
  readComponent(collector, component, { device, value, atMs: null });
  return collector;
}

/** Decodes a notification frame, which contains only the members that have changed. */
function decodeFrame({ payload, receivedAtMs }: DeviceMessage): FamilyDecodeResult {
  if (payload.length === 0) return createEmptyResult();
  const frame = parseJsonObject(payload);
  if (!frame) return createRefusedResult('payload is not a JSON object');
  const method = getMember(frame, 'method');
  if (typeof method !== 'string') return createRefusedResult('the frame has no method');
  if (!STATUS_METHODS.has(method)) return createEmptyResult();
  const device = parseSenderDeviceId(getMember(frame, 'src'));
  if (device === null) return createRefusedResult('the frame has no src, so the device is unknown');
  const params = asObjectOrNull(getMember(frame, 'params'));
  if (!params) return createRefusedResult('the frame has no params');
  const collector = createValueCollector();
  // The time may be implausible: before its clock is set, a device counts the seconds since it was switched on.
  const atMs = parseMessageTime(getMember(params, 'ts'), undefined, { receivedAtMs });
  readComponents(collector, params, { device, atMs });
  return collector;
}

/**
 * Decodes a reply, which a device publishes on the topic of the requester. Only replies with the status of all components are decoded,
 * because other replies do not name the component. Requests are commands and are ignored. Returns null if the message is not from a Shelly.
 */
function decodeReply(frame: Json | null): FamilyDecodeResult | null {
  const result = asObjectOrNull(getMember(frame, 'result'));
  const device = parseSenderDeviceId(getMember(frame, 'src'));
  if (typeof getMember(frame, 'method') === 'string') return createEmptyResult();
  if (!result || device === null || findDefaultDeviceId(device) !== device) return null;
  const collector = createValueCollector();
  readComponents(collector, result, { device, atMs: null });
  return collector;
}

/** Decodes the availability. The payload must be `true` or `false`. */
function decodeOnline(payload: Buffer, device: string): FamilyDecodeResult {
  const value = readText(payload);
  if (value === '') return createEmptyResult();
  if (value !== 'true' && value !== 'false') return createRefusedResult('online is neither true nor false');
  const collector = createValueCollector();
  collector.addState({ device, channel: 'device', kind: 'availability', value, name: 'online' });
  return collector;
}
