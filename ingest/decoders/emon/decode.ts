import { channelWord } from '#src/devices/channel-name.ts';
import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { isUsualBase } from '../openevse/topic.ts';
import { type Hearing, hearing, nothing, type Quantity, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, member, readObject, readText } from '../read/payload.ts';
import { fromIso, fromUnix, trusted } from '../read/time.ts';

/** Kind of a topic under `emon/` or `emonhub/`. */
type EmonTopic =
  /** `emon/{node}/{name}`: a value; JSON there has names of its own. */
  | { what: 'name'; node: string; name: string }
  /** `emon/{node}`, `emon/JSON/{node}`: JSON of a node. */
  | { what: 'node'; node: string }
  /** Values by position, commands. */
  | { what: 'other' };

/** Reads a topic of emonHub, EmonESP or what Emoncms reads; null for every other one. */
function parseEmonTopic(topic: string): EmonTopic | null {
  const [root, node, ...names] = topic.split('/');
  if (root === 'emonhub') return { what: 'other' };
  if (root !== 'emon' || !node) return null;
  // A charger, which has other units for the same names.
  if (isUsualBase(node)) return null;
  if (names.length === 0) return { what: 'node', node };
  // A base topic that emonHub's own example has for its JSON.
  if (node === 'JSON' && names.length === 1 && names[0]) return { what: 'node', node: names[0] };
  // Emoncms joins what comes after the node.
  return { what: 'name', node, name: names.join('_') };
}

/** No sensor, out of range, bad checksum: what the firmware sends for a temperature that it has not got. */
const NO_TEMPERATURE = new Set([300, 302, 304]);
const PULSES = /^(?:(?:dig|ana)?pulse(?:count)?|pulse\d{1,2}(?:count)?)$/;

/** What a name of a node template stands for; `unset`: pulses, and nobody has said how many are a kWh. */
function quantityOf(
  node: string,
  name: string,
  value: unknown,
  settings: DecoderSettings,
): Omit<Quantity, 'device' | 'atMs'> | 'unset' | Error | null {
  const key = `${node}/${name}`;
  const pulses = Object.hasOwn(settings.emon ?? {}, key) ? settings.emon?.[key]?.pulses_per_kwh : undefined;
  const lower = name.toLowerCase();
  if (pulses !== undefined) {
    if (!(Number.isFinite(pulses) && pulses > 0)) return new Error(`pulses_per_kwh of ${key} is not above 0`);
    return { channel: `${channelWord(name)}/import`, kind: 'energy_total_kwh', value, per: pulses, name };
  }
  if (PULSES.test(lower)) return 'unset';
  const energy = /^e(\d{1,2})$/.exec(lower)?.[1];
  // Net, and 32 bits with a sign: it may fall below 0.
  const least = -(2 ** 31);
  if (energy) return { channel: circuit(energy), kind: 'energy_total_kwh', value, per: 1_000, least, name };
  const power = /^(?:p|power|ct)(\d{1,2})$/.exec(lower)?.[1];
  if (power) return { channel: circuit(power), kind: 'power_w', value, name };
  const phase = /^power(l[123])$/.exec(lower)?.[1];
  if (phase) return { channel: `import/${phase}`, kind: 'power_w', value, name };
  if (lower === 'power') return { channel: 'import', kind: 'power_w', value, name };
  const room = roomOf(lower);
  if (room === null || NO_TEMPERATURE.has(readNumber(value) ?? Number.NaN)) return null;
  return { channel: room, kind: 'temperature_c', value, name };
}

/** Power and energy of one clamp have its number, and are one circuit. */
const circuit = (number: string): string => `ct${Number(number)}/import`;

function roomOf(name: string): string | null {
  if (name === 'temperature') return 'room';
  if (name === 'external temperature') return 'external';
  const probe = /^(?:t|temp)(\d{1,2})$/.exec(name)?.[1];
  return probe === undefined ? null : `probe${Number(probe)}`;
}

/** OpenEnergyMonitor: emonHub, EmonESP, and JSON as Emoncms reads it. */
export const emon = withoutMemory({ name: 'emon', takes: (topic) => parseEmonTopic(topic) !== null, decode });

function decode(message: DeviceMessage, settings: DecoderSettings): Heard | null {
  const parsed = parseEmonTopic(message.topic);
  if (!parsed) return null;
  if (parsed.what === 'other') return nothing();
  const text = readText(message.payload);
  if (text === null) return refusal('payload is not text');
  const { node } = parsed;
  const heard = hearing();
  if (/^\s*\{/.test(text)) {
    const body = readObject(message.payload);
    if (!body) return refusal('payload is not a JSON object');
    const before = parsed.what === 'name' ? `${parsed.name}_` : '';
    const atMs = timeOf(body, message.receivedAtMs, settings.tz);
    for (const [key, value] of Object.entries(body)) {
      // {"power": {"value": 10}} is the power, as well.
      const inner = asObject(value);
      const is = inner && Object.hasOwn(inner, 'value') ? inner.value : value;
      addName(heard, { node, name: before + key, value: is, atMs }, settings);
    }
  } else if (parsed.what === 'name') addName(heard, { node, name: parsed.name, value: text, atMs: null }, settings);
  // Else: values without names.
  return heard;
}

function addName(
  heard: Hearing,
  { node, name, value, atMs }: { node: string; name: string; value: unknown; atMs: number | null },
  settings: DecoderSettings,
) {
  const quantity = quantityOf(node, name, value, settings);
  if (quantity === 'unset') heard.see(node);
  else if (quantity instanceof Error) heard.refuse(quantity.message);
  else if (quantity) heard.add({ ...quantity, device: node, atMs });
}

/** `time` in whatever case, as Unix seconds or a date; null where there is none. */
function timeOf(body: Json, receivedAtMs: number, tz: string | undefined): number | null {
  const key = Object.keys(body).find((name) => name.toLowerCase() === 'time');
  const time = key === undefined ? undefined : member(body, key);
  const unix = readNumber(time);
  return trusted(typeof unix === 'number' ? fromUnix(unix) : fromIso(time, { tz, receivedAtMs }), receivedAtMs);
}
