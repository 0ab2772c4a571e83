import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, member, readObject, readText } from '../read/payload.ts';
import { fromUnix, trusted } from '../read/time.ts';
import { FIELDS, MEMBERS } from './fields.ts';
import { deviceOf, isJson, parseRaw } from './topic.ts';

/** amsreader (AmsToMqttBridge, amsleser.no): the customer port of smart meters, as raw topics or as JSON. */
export const amsreader = withoutMemory({
  name: 'amsreader',
  takes: (topic) => parseRaw(topic) !== null,
  knows: isJson,
  decode,
});

function decode(message: DeviceMessage): Heard | null {
  const raw = parseRaw(message.topic);
  if (raw) return decodeRaw(message, raw);
  return isJson(message.payload) ? decodeJson(message) : null;
}

/** A value on a topic of its own; its time is on another topic. */
function decodeRaw({ payload }: DeviceMessage, { device, path }: { device: string; path: string }): Heard {
  const field = FIELDS.get(path);
  if (!field) return nothing();
  const text = readText(payload);
  if (text === null) return refusal(`${path} is not text`);
  const heard = hearing();
  heard.add({ device, value: text, name: path, ...field });
  return heard;
}

/** A list of the meter: what it has of it below `data`, or beside the rest where the owner chose flat JSON. */
function decodeJson({ topic, payload, receivedAtMs }: DeviceMessage): Heard {
  const body = readObject(payload) ?? salvaged(payload);
  if (!body) return refusal('payload is not a JSON object');
  const data = asObject(member(body, 'data')) ?? body;
  const device = deviceOf(topic);
  const heard = hearing();
  const atMs = timeOf(member(body, 't'), receivedAtMs);
  for (const [name, field] of MEMBERS) heard.add({ device, value: member(data, name), atMs, name, ...field });
  return heard;
}

/** The meter's number can come undecoded, with control characters in it (issue 893): the numbers beside it are right. */
const salvaged = (payload: Buffer): Json | null =>
  readObject(Buffer.from(payload.toString('latin1').replaceAll(/\p{Cc}/gu, ' ')));

/** When the meter sent it, in Unix seconds. */
function timeOf(value: unknown, receivedAtMs: number): number | null {
  const unix = readNumber(value);
  return trusted(typeof unix === 'number' ? fromUnix(unix) : null, receivedAtMs);
}
