import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { fromStamp } from '../p1/stamp.ts';
import { type Hearing, hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, member, readJson, readText } from '../read/payload.ts';
import { trusted } from '../read/time.ts';
import { FIELDS, type Field } from './fields.ts';
import { type DsmrApiTopic, parseTopic } from './topic.ts';

/** DSMR-API dongles: a field of the telegram on each topic, with its unit beside it or, in newer firmware, bare. */
export const dsmrApi = withoutMemory({ name: 'dsmr-api', takes, decode });

/** Below a dongle's root everything; elsewhere fields that nobody else has. */
function takes(topic: string): boolean {
  const parsed = parseTopic(topic);
  if (!parsed || parsed.certain) return parsed !== null;
  const field = FIELDS.get(parsed.field);
  return field !== undefined && !field.isCommon;
}

function decode(message: DeviceMessage, settings: DecoderSettings): Heard | null {
  const parsed = parseTopic(message.topic);
  if (!parsed) return null;
  const field = FIELDS.get(parsed.field);
  if (field && (parsed.certain || !field.isCommon)) return decodeField(message, parsed, field);
  if (!parsed.certain) return null;
  if (parsed.field === 'all') return decodeAll(message, settings, parsed);
  // Beneath a dongle's root: the time, commands (`interval`, `reboot`, `update`).
  if (parsed.field !== 'LWT') return nothing();
  const heard = hearing();
  const value = readText(message.payload) ?? 'not text';
  heard.addState({ device: parsed.device, channel: 'device', kind: 'availability', value, name: 'LWT' });
  return heard;
}

function decodeField(
  message: DeviceMessage,
  { device, field: name, certain }: DsmrApiTopic,
  field: Field,
): Heard | null {
  const heard = hearing();
  const json = readJson(message.payload);
  const told = member(asObject(json), name);
  if (told === undefined && !certain) return null;
  const inside = Array.isArray(told) ? asObject(told[0]) : null;
  if (inside)
    return addWithUnit(heard, { device, field, name, value: member(inside, 'value'), unit: member(inside, 'unit') });
  // {"power_delivered":1.23,"unit":"kW"}, as other firmware of the same root has it.
  if (told !== undefined && !Array.isArray(told)) {
    return addWithUnit(heard, { device, field, name, value: told, unit: member(asObject(json), 'unit') });
  }
  const text = readText(message.payload);
  if (text === null || asObject(json) || Array.isArray(told)) return refusal(`${name} has no value`);
  return addWithUnit(heard, { device, field, name, value: text, unit: field.bare });
}

/** All fields in one message, in kWh, kW and m³, with the meter's time, and that of the gas meter. */
function decodeAll({ payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings, { device }: DsmrApiTopic): Heard {
  const body = asObject(readJson(payload));
  if (!body) return refusal('payload is not a JSON object');
  const heard = hearing();
  const timeOf = (name: string) => trusted(fromStamp(member(body, name), { tz, receivedAtMs }), receivedAtMs);
  const telegramAtMs = timeOf('timestamp');
  for (const [name, field] of FIELDS) {
    const value = member(body, name);
    if (value === undefined) continue;
    const { time } = field;
    const atMs = time !== undefined && Object.hasOwn(body, time) ? timeOf(time) : telegramAtMs;
    addWithUnit(heard, { device, field, name, value, unit: field.bare, atMs });
  }
  return heard;
}

interface Told {
  device: string;
  field: Field;
  name: string;
  value: unknown;
  unit: unknown;
  atMs?: number | null;
}

function addWithUnit(heard: Hearing, { field, unit, ...told }: Told): Heard {
  const { channel, kind, units } = field;
  if (typeof unit !== 'string' || !Object.hasOwn(units, unit)) heard.refuse(`${told.name} has no unit that is known`);
  else heard.add({ ...told, channel, kind, ...units[unit] });
  return heard;
}
