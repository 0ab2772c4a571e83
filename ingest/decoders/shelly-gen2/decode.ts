import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, member, readObject, readText } from '../read/payload.ts';
import { fromUnix, trusted } from '../read/time.ts';
import { isRead, readComponent, readComponents } from './components.ts';
import { deviceBehind, isNewPrefix, isOurs, learnPrefix, namesPrefix, type Prefixes, sourceOf } from './prefixes.ts';
import { type Component, defaultIdOf, parseShellyGen2Topic } from './topic.ts';

/** Notifications that carry a status; `NotifyEvent` tells of buttons and the like. */
const STATUS_METHODS = new Set(['NotifyStatus', 'NotifyFullStatus']);

/** Shelly Gen2, Gen3 and Gen4: frames of changes, whole components, availability. */
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
  // Nothing at all: somebody takes a kept message back.
  if (payload.length === 0) return nothing();
  const value = readObject(payload);
  if (!value) return refusal('payload is not a JSON object');
  const heard = hearing();
  // No time in it: `minute_ts` is when the minute began, not when this was measured.
  readComponent(heard, component, { device, value, atMs: null });
  return heard;
}

/** Only changed members are in it; what is missing is as before. */
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
  // Before its clock is set a device counts seconds since it was switched on.
  const atMs = typeof ts === 'number' ? trusted(fromUnix(ts), receivedAtMs) : null;
  readComponents(heard, params, { device, atMs });
  return heard;
}

/**
 * Requests are wishes. A reply is on the topic of whoever has asked; the one with the status of all components is read,
 * as only there they have their names. Null: no Shelly's.
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

/** `true` or `false` and nothing else. */
function decodeOnline(payload: Buffer, device: string): Heard {
  const value = readText(payload);
  if (value === '') return nothing();
  if (value !== 'true' && value !== 'false') return refusal('online is neither true nor false');
  const heard = hearing();
  heard.addState({ device, channel: 'device', kind: 'availability', value, name: 'online' });
  return heard;
}
