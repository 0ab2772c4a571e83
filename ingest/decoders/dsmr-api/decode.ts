import {
  createStatelessFamily,
  type DecoderSettings,
  type DeviceMessage,
  type FamilyDecodeResult,
  type ValueKind,
} from '../family.ts';
import { parseP1Timestamp } from '../p1/stamp.ts';
import { asObject, ownMember, readJson, readText } from '../read/payload.ts';
import { plausibleTimeMs } from '../read/time.ts';
import { createValueCollector, emptyResult, refusedResult, type ValueCollector } from '../read/value-collector.ts';
import { volumeChannelOf } from '../read/volume.ts';

/** First word of a dongle's topics: `DSMR-API`, or the name of a dongle on the market (`P1-Dongle-Pro`, `Eth-Dongle-Pro`). */
const ROOT = /^(dsmr-api|(p1|eth|dsmr)-dongle(-[a-z0-9]+)*)$/i;
const MAC = /^[0-9A-Fa-f]{12}$/;

interface DsmrApiTopic {
  /** MAC of the dongle if the topic contains it; otherwise the topic without its last word. */
  device: string;
  field: string;
  /** Whether the topic alone identifies a dongle. Below a root that the owner has changed, the body must identify it. */
  certain: boolean;
}

/** Parses `DSMR-API/{field}`, `DSMR-API/{mac}/{field}`, or any other prefix before a field. Returns null for a topic without a prefix. */
function parseTopic(topic: string): DsmrApiTopic | null {
  const words = topic.split('/');
  const field = words.pop();
  const last = words.at(-1);
  if (!field || !last) return null;
  return { device: MAC.test(last) ? last : words.join('/'), field, certain: ROOT.test(words[0] ?? '') };
}

/** Units as messages spell them, and the factors that convert them to kWh, W or m³. */
type Units = Record<string, { times: number; per: number }>;
const ENERGY: Units = { kWh: { times: 1, per: 1 }, Wh: { times: 1, per: 1_000 }, MWh: { times: 1_000, per: 1 } };
const POWER: Units = { kW: { times: 1_000, per: 1 }, W: { times: 1, per: 1 }, Watt: { times: 1, per: 1 } };
const HEAT: Units = { GJ: { times: 1_000_000, per: 3_600 } };
const VOLUME: Units = { m3: { times: 1, per: 1 }, 'm³': { times: 1, per: 1 } };

interface Field {
  channel: string;
  kind: ValueKind;
  units: Units;
  /** Unit of the field if the message states none: newer firmware publishes bare numbers. */
  bare: string;
  /** Name of the field on the topic `all` that contains this field's own time. */
  time?: string;
  /** Whether other devices may use the same word in a topic and a body. */
  isCommon?: true;
}

const register = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', units: ENERGY, bare: 'kWh' });
const power = (channel: string): Field => ({ channel, kind: 'power_w', units: POWER, bare: 'kW' });
const heat = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', units: HEAT, bare: 'GJ' });
const volume = (channel: string, rest: Pick<Field, 'time' | 'isCommon'>): Field => ({
  channel,
  kind: 'volume_total_m3',
  units: VOLUME,
  bare: 'm3',
  ...rest,
});

/** Fields of the telegram. "Delivered" means delivered to the client, "returned" means fed into the grid. */
const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['energy_delivered_tariff1', register('import/t1')],
  ['energy_delivered_tariff2', register('import/t2')],
  ['energy_returned_tariff1', register('export/t1')],
  ['energy_returned_tariff2', register('export/t2')],
  ['power_delivered', power('import')],
  ['power_returned', power('export')],
  ['power_delivered_l1', power('import/l1')],
  ['power_delivered_l2', power('import/l2')],
  ['power_delivered_l3', power('import/l3')],
  ['power_returned_l1', power('export/l1')],
  ['power_returned_l2', power('export/l2')],
  ['power_returned_l3', power('export/l3')],
  ['heat_delivered', heat('heat/import')],
  ['thermal_delivered', heat('thermal/heat/import')],
  ['gas_delivered', volume(volumeChannelOf('gas'), { time: 'gas_delivered_timestamp' })],
  ['water_delivered', volume(volumeChannelOf('water'), { time: 'water_delivered_ts' })],
  // Water counted by the dongle's pulse input; in older firmware also by a water meter on the M-Bus.
  ['water', volume(volumeChannelOf('water'), { time: 'water_ts', isCommon: true })],
]);

/** Decoder of DSMR-API dongles. Each topic has one field of the telegram, with its unit or, in newer firmware, as a bare number. */
export const dsmrApi = createStatelessFamily({ name: 'dsmr-api', takes, decode });

/** Whether a topic can be a dongle's: every topic below a known root; elsewhere only fields with names that no other family uses. */
function takes(topic: string): boolean {
  const parsed = parseTopic(topic);
  if (!parsed || parsed.certain) return parsed !== null;
  const field = FIELDS.get(parsed.field);
  return field !== undefined && !field.isCommon;
}

function decode(message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  const parsed = parseTopic(message.topic);
  if (!parsed) return null;
  const field = FIELDS.get(parsed.field);
  if (field && (parsed.certain || !field.isCommon)) return decodeField(message, parsed, field);
  if (!parsed.certain) return null;
  if (parsed.field === 'all') return decodeAll(message, settings, parsed);
  // Other topics below a dongle's root carry the time and commands (`interval`, `reboot`, `update`).
  if (parsed.field !== 'LWT') return emptyResult();
  const collector = createValueCollector();
  const value = readText(message.payload) ?? 'not text';
  collector.addState({ device: parsed.device, channel: 'device', kind: 'availability', value, name: 'LWT' });
  return collector;
}

function decodeField(
  message: DeviceMessage,
  { device, field: name, certain }: DsmrApiTopic,
  field: Field,
): FamilyDecodeResult | null {
  const collector = createValueCollector();
  const json = readJson(message.payload);
  const member = ownMember(asObject(json), name);
  if (member === undefined && !certain) return null;
  const inside = Array.isArray(member) ? asObject(member[0]) : null;
  if (inside)
    return addWithUnit(collector, {
      device,
      field,
      name,
      value: ownMember(inside, 'value'),
      unit: ownMember(inside, 'unit'),
    });
  // Other firmware with the same root publishes {"power_delivered":1.23,"unit":"kW"}.
  if (member !== undefined && !Array.isArray(member)) {
    return addWithUnit(collector, { device, field, name, value: member, unit: ownMember(asObject(json), 'unit') });
  }
  const text = readText(message.payload);
  if (text === null || asObject(json) || Array.isArray(member)) return refusedResult(`${name} has no value`);
  return addWithUnit(collector, { device, field, name, value: text, unit: field.bare });
}

/** Decodes the topic `all`: all fields in one message, in kWh, kW and m³, with the meter's time and the gas meter's own time. */
function decodeAll(
  { payload, receivedAtMs }: DeviceMessage,
  { tz }: DecoderSettings,
  { device }: DsmrApiTopic,
): FamilyDecodeResult {
  const body = asObject(readJson(payload));
  if (!body) return refusedResult('payload is not a JSON object');
  const collector = createValueCollector();
  const timeOf = (name: string) =>
    plausibleTimeMs(parseP1Timestamp(ownMember(body, name), { tz, receivedAtMs }), receivedAtMs);
  const telegramAtMs = timeOf('timestamp');
  for (const [name, field] of FIELDS) {
    const value = ownMember(body, name);
    if (value === undefined) continue;
    const { time } = field;
    const atMs = time !== undefined && Object.hasOwn(body, time) ? timeOf(time) : telegramAtMs;
    addWithUnit(collector, { device, field, name, value, unit: field.bare, atMs });
  }
  return collector;
}

interface FieldOfDevice {
  device: string;
  field: Field;
  name: string;
  value: unknown;
  unit: unknown;
  atMs?: number | null;
}

function addWithUnit(collector: ValueCollector, { field, unit, ...told }: FieldOfDevice): FamilyDecodeResult {
  const { channel, kind, units } = field;
  if (typeof unit !== 'string' || !Object.hasOwn(units, unit))
    collector.refuse(`${told.name} has no unit that is known`);
  else collector.add({ ...told, channel, kind, ...units[unit] });
  return collector;
}
