import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readJson, readText } from '../read/payload.ts';
import { fromIso, trusted } from '../read/time.ts';
import { FIELDS, field } from './fields.ts';
import { type DsmrReaderTopic, isReading, parseTopic } from './topic.ts';

/** DSMR-reader: registers and power of a Dutch or Belgian meter, and its gas meter, as JSON or a topic for each field. */
export const dsmrReader = withoutMemory({
  name: 'dsmr-reader',
  takes: (topic) => parseTopic(topic) !== null,
  knows: isReading,
  decode,
});

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
  const timeOf = (name: string) => trusted(fromIso(member(body, name), { tz, receivedAtMs }), receivedAtMs);
  const atMs = timeOf('timestamp');
  // The gas meter reports once an hour or in five minutes.
  const gasAtMs = Object.hasOwn(body, 'extra_device_timestamp') ? timeOf('extra_device_timestamp') : atMs;
  for (const [name, { channel, kind, times }] of FIELDS) {
    const time = kind === 'volume_total_m3' ? gasAtMs : atMs;
    heard.add({ device, channel, kind, value: member(body, name), times, atMs: time, name });
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
