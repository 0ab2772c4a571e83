import { normaliseChannelWord } from '#src/devices/channel-name.ts';
import { createStatelessFamily, type DecoderSettings, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { isDefaultOpenevseBaseTopic } from '../openevse/topic.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, parseJsonObject, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import {
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
  type MessageQuantity,
  type ValueCollector,
} from '../read/value-collector.ts';

type EmonTopic =
  /** `emon/{node}/{name}`: one value, or a JSON object. The full name of a member of the object is `{name}_{member}`. */
  | { what: 'name'; node: string; name: string }
  /** `emon/{node}`, `emon/JSON/{node}`: a JSON object with the values of a node. */
  | { what: 'node'; node: string }
  /** Topics that are not read: values that are identified by position only, and commands. */
  | { what: 'other' };

/** Parses a topic of emonHub, of EmonESP or in the form that Emoncms reads; returns null for every other topic. */
function parseEmonTopic(topic: string): EmonTopic | null {
  const [root, node, ...names] = topic.split('/');
  if (root === 'emonhub') return { what: 'other' };
  if (root !== 'emon' || !node) return null;
  // OpenEVSE chargers also publish below `emon/`, but use the same names with other units.
  if (isDefaultOpenevseBaseTopic(node)) return null;
  if (names.length === 0) return { what: 'node', node };
  // `emon/JSON` is the base topic in emonHub's own example for JSON.
  if (node === 'JSON' && names.length === 1 && names[0]) return { what: 'node', node: names[0] };
  // The levels after the node form one name, joined by underscores as in Emoncms.
  return { what: 'name', node, name: names.join('_') };
}

/** Temperatures that the firmware sends instead of a measurement: no sensor, out of range, bad checksum. */
const NO_TEMPERATURE = new Set([300, 302, 304]);
const PULSES = /^(?:(?:dig|ana)?pulse(?:count)?|pulse\d{1,2}(?:count)?)$/;

/**
 * Returns the quantity of a named value of a node; null if the name is unknown. Returns `unset` for a pulse count if the owner has not set
 * the number of pulses per kWh.
 */
function quantityOf(
  node: string,
  name: string,
  value: unknown,
  settings: DecoderSettings,
): Omit<MessageQuantity, 'device' | 'atMs'> | 'unset' | Error | null {
  const key = `${node}/${name}`;
  const pulses = Object.hasOwn(settings.emon ?? {}, key) ? settings.emon?.[key]?.pulses_per_kwh : undefined;
  const lower = name.toLowerCase();
  if (pulses !== undefined) {
    if (!(Number.isFinite(pulses) && pulses > 0)) return new Error(`pulses_per_kwh of ${key} is not above 0`);
    return { channel: `${normaliseChannelWord(name)}/import`, kind: 'energy_total_kwh', value, per: pulses, name };
  }
  if (PULSES.test(lower)) return 'unset';
  const energy = /^e(\d{1,2})$/.exec(lower)?.[1];
  // The firmware sends the net energy as a signed 32-bit integer, so the value may be negative.
  const least = -(2 ** 31);
  if (energy) return { channel: circuit(energy), kind: 'energy_total_kwh', value, per: 1_000, least, name };
  const power = /^(?:p|power|ct)(\d{1,2})$/.exec(lower)?.[1];
  if (power) return { channel: circuit(power), kind: 'power_w', value, name };
  const phase = /^power(l[123])$/.exec(lower)?.[1];
  if (phase) return { channel: `import/${phase}`, kind: 'power_w', value, name };
  if (lower === 'power') return { channel: 'import', kind: 'power_w', value, name };
  const room = roomOf(lower);
  const isMissing = NO_TEMPERATURE.has(readNumber(value) ?? Number.NaN);
  return room === null ? null : { channel: room, kind: 'temperature_c', value: isMissing ? null : value, name };
}

/**
 * Returns the channel of a current clamp. Power and energy with the same number belong to the same clamp, so they have the same channel.
 */
const circuit = (number: string): string => `ct${Number(number)}/import`;

function roomOf(name: string): string | null {
  if (name === 'temperature') return 'room';
  if (name === 'external temperature') return 'external';
  const probe = /^(?:t|temp)(\d{1,2})$/.exec(name)?.[1];
  return probe === undefined ? null : `probe${Number(probe)}`;
}

/** Decoder of OpenEnergyMonitor: emonHub, EmonESP, and JSON in the form that Emoncms reads. */
export const emonFamily = createStatelessFamily({
  name: 'emon',
  takes: (topic) => parseEmonTopic(topic) !== null,
  decode,
});

function decode(message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  const parsed = parseEmonTopic(message.topic);
  if (!parsed) return null;
  if (parsed.what === 'other') return createEmptyResult();
  const text = readText(message.payload);
  if (text === null) return createRefusedResult('payload is not text');
  const { node } = parsed;
  const collector = createValueCollector();
  const names: boolean[] = [];
  if (/^\s*\{/.test(text)) {
    const body = parseJsonObject(message.payload);
    if (!body) return createRefusedResult('payload is not a JSON object');
    const before = parsed.what === 'name' ? `${parsed.name}_` : '';
    const time = Object.keys(body).find((name) => name.toLowerCase() === 'time') ?? 'time';
    const { receivedAtMs } = message;
    const atMs = parseMessageTime(getMember(body, time), undefined, { tz: settings.tz, receivedAtMs });
    for (const [key, value] of Object.entries(body)) {
      // `{"power": {"value": 10}}` has the same meaning as `{"power": 10}`.
      const inner = asObjectOrNull(value);
      const is = inner && Object.hasOwn(inner, 'value') ? inner.value : value;
      names.push(addName(collector, { node, name: before + key, value: is, atMs }, settings));
    }
  } else if (parsed.what === 'name') {
    names.push(addName(collector, { node, name: parsed.name, value: text, atMs: null }, settings));
  }
  // A text other than JSON on the topic of a node contains values without names, so it is not decoded.
  return names.includes(true) ? collector : { ...collector, isUnread: true };
}

/** Matches the emonPi's sum of two powers, which are read individually. */
const SUM = /^power\d+pluspower\d+$/i;

/** Adds a named value of a node. Returns whether the name is known. */
function addName(
  collector: ValueCollector,
  { node, name, value, atMs }: { node: string; name: string; value: unknown; atMs: number | null },
  settings: DecoderSettings,
): boolean {
  const quantity = quantityOf(node, name, value, settings);
  if (quantity === 'unset') collector.see(node);
  else if (quantity instanceof Error) collector.refuse(quantity.message);
  else if (quantity) collector.add({ ...quantity, device: node, atMs });
  return quantity !== null || SUM.test(name);
}
