import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, member, readObject, readText } from '../read/payload.ts';
import { fromUnix, trusted } from '../read/time.ts';
import { isRead, readComponent, readComponents } from './components.ts';
import { deviceBehind, isNewPrefix, isOurs, learnPrefix, namesPrefix, type Prefixes, sourceOf } from './prefixes.ts';
import { type Component, defaultIdOf, parseShellyGen2Topic } from './topic.ts';

/** Notifications that contain a status; `NotifyEvent` reports button presses and similar events. */
const STATUS_METHODS = new Set(['NotifyStatus', 'NotifyFullStatus']);

/** Decoder of Shelly Gen2, Gen3 and Gen4: frames with changes, whole components, availability. */
export const shellyGen2: Family<Prefixes> = {
  name: 'shelly-gen2',
  takes: (topic) => parseShellyGen2Topic(topic) !== null,
  remembers: namesPrefix,
  newMemory: () => new Map(),
  isNews: isNewPrefix,
  learn: learnPrefix,
  decode,
};

function decode(message: DeviceMessage, _settings: DecoderSettings, prefixes: Prefixes): Heard | null {
  const parsed = parseShellyGen2Topic(message.topic);
  if (!parsed) return null;
  const { payload } = message;
  const { prefix } = parsed;
  if (parsed.leaf === 'component') {
    return decodeComponent(payload, parsed.component, deviceBehind(prefix, prefixes));
  }
  if (parsed.leaf === 'events') return decodeFrame(message);
  if (parsed.leaf === 'rpc') return decodeReply(readObject(payload));
  return isOurs(prefix, prefixes) ? decodeOnline(payload, deviceBehind(prefix, prefixes)) : null;
}

function decodeComponent(payload: Buffer, component: Component, device: string): Heard | null {
  if (!isRead(component)) return null;
  // An empty payload deletes a retained message.
  if (payload.length === 0) return nothing();
  const value = readObject(payload);
  if (!value) return refusal('payload is not a JSON object');
  const heard = hearing();
  // A component has no time of its own: `minute_ts` is the start of the minute, not the time of measurement.
  readComponent(heard, component, { device, value, atMs: null });
  return heard;
}

/** Decodes a frame, which contains only members that have changed. */
function decodeFrame({ payload, receivedAtMs }: DeviceMessage): Heard {
  if (payload.length === 0) return nothing();
  const frame = readObject(payload);
  if (!frame) return refusal('payload is not a JSON object');
  const method = member(frame, 'method');
  if (typeof method !== 'string') return refusal('the frame has no method');
  if (!STATUS_METHODS.has(method)) return nothing();
  const device = sourceOf(member(frame, 'src'));
  if (device === null) return refusal('the frame does not say by src which device has sent it');
  const params = asObject(member(frame, 'params'));
  if (!params) return refusal('the frame has no params');
  const heard = hearing();
  const ts = readNumber(member(params, 'ts'));
  // Until its clock is set, a device counts seconds since it was switched on.
  const atMs = typeof ts === 'number' ? trusted(fromUnix(ts), receivedAtMs) : null;
  readComponents(heard, params, { device, atMs });
  return heard;
}

/**
 * Decodes a reply. Requests are commands and are not read. Of the replies, which come on the requester's topic, only the status of all
 * components is read, because only it names them. Returns null if the message is not from a Shelly.
 */
function decodeReply(frame: Json | null): Heard | null {
  const result = asObject(member(frame, 'result'));
  const device = sourceOf(member(frame, 'src'));
  if (typeof member(frame, 'method') === 'string') return nothing();
  if (!result || device === null || defaultIdOf(device) !== device) return null;
  const heard = hearing();
  readComponents(heard, result, { device, atMs: null });
  return heard;
}

/** Decodes the availability: `true` or `false` and nothing else. */
function decodeOnline(payload: Buffer, device: string): Heard {
  const value = readText(payload);
  if (value === '') return nothing();
  if (value !== 'true' && value !== 'false') return refusal('online is neither true nor false');
  const heard = hearing();
  heard.addState({ device, channel: 'device', kind: 'availability', value, name: 'online' });
  return heard;
}
