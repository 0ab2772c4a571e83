import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readJson, readText } from '../read/payload.ts';
import { fromIso, trusted } from '../read/time.ts';
import { FIELDS, field } from './fields.ts';
import { type DsmrReaderTopic, isReading, parseTopic } from './topic.ts';

/** DSMR-reader: registers and power of a Dutch or Belgian meter, as JSON or a topic for each field. */
export const dsmrReader = withoutMemory({ name: 'dsmr-reader', decode });

function decode(message: DeviceMessage, settings: DecoderSettings): Heard | null {
  const parsed = parseTopic(message.topic);
  if (!parsed) return isReading(message.payload) ? decodeJson(message, settings, message.topic) : null;
  if (parsed.kind === 'left') return nothing();
  return parsed.kind === 'json' ? decodeJson(message, settings, parsed.device) : decodeReading(message, parsed);
}

function decodeJson({ payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings, device: string): Heard {
  const body: Json | null = asObject(readJson(payload));
  if (!body) return refusal('payload is not a JSON object');
  const heard = hearing();
  const atMs = trusted(fromIso(member(body, 'timestamp'), { tz, receivedAtMs }), receivedAtMs);
  for (const [name, { channel, kind, times }] of FIELDS) {
    heard.add({ device, channel, kind, value: member(body, name), times, atMs, name });
  }
  return heard;
}

/** A field on a topic of its own: its time is on another topic, and cannot be matched with it. */
function decodeReading({ payload }: DeviceMessage, { device, name }: DsmrReaderTopic): Heard {
  const found = field(name);
  if (!found) return nothing();
  const heard = hearing();
  const { channel, kind, times } = found;
  const text = readText(payload);
  if (text === null) heard.refuse(`${name} is not text`);
  else heard.add({ device, channel, kind, value: text, times, name });
  return heard;
}
