import { type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { member, readObject, readText } from '../read/payload.ts';
import { fromUnix, trusted } from '../read/time.ts';
import { volumeChannel } from '../read/volume.ts';

/** What dsmr2mqtt publishes on, beneath its prefix. */
const LEAVES = new Set(['el', 'gas', 'system', 'status', 'sw-version']);

interface Dsmr2mqttTopic {
  /** The prefix, `dsmr` unless changed. */
  prefix: string;
  leaf: string;
}

/**
 * Reads `dsmr/el` and its neighbours. A changed prefix must have `dsmr` in its last word, as `el` alone is anybody's, and its
 * `status` is not read, as ESPHome publishes there, too. Null for every other topic, DSMR-reader's among them.
 */
function parseTopic(topic: string): Dsmr2mqttTopic | null {
  const words = topic.split('/');
  const leaf = words.pop() ?? '';
  const last = words.at(-1)?.toLowerCase() ?? '';
  if (!LEAVES.has(leaf) || !last.includes('dsmr') || last === 'dsmr-api') return null;
  if (leaf === 'status' && last !== 'dsmr') return null;
  return { prefix: words.join('/'), leaf };
}

/** Members of `el`: channel, kind, and what the value is divided by (registers are in Wh). */
const MEMBERS: [name: string, channel: string, kind: SaidKind, per: number][] = [
  ['el_consumed1', 'import/t1', 'energy_total_kwh', 1_000],
  ['el_consumed2', 'import/t2', 'energy_total_kwh', 1_000],
  ['el_returned1', 'export/t1', 'energy_total_kwh', 1_000],
  ['el_returned2', 'export/t2', 'energy_total_kwh', 1_000],
  ['p_consumed', 'import', 'power_w', 1],
  ['p_generated', 'export', 'power_w', 1],
  ['p_returned', 'export', 'power_w', 1],
  ['P1_consumed', 'import/l1', 'power_w', 1],
  ['P2_consumed', 'import/l2', 'power_w', 1],
  ['P3_consumed', 'import/l3', 'power_w', 1],
  ['P1_generated', 'export/l1', 'power_w', 1],
  ['P2_generated', 'export/l2', 'power_w', 1],
  ['P3_generated', 'export/l3', 'power_w', 1],
];

/**
 * Beside 1 and 2 these are sums that the program makes, which are too small where it missed a line, and 0 where it missed
 * both; alone they are the register of an Austrian meter.
 */
const TOTALS = [
  ['el_consumed', 'import'],
  ['el_returned', 'export'],
] as const;

/** dsmr2mqtt: registers in Wh and power in W of a Dutch meter, and litres of its gas meter. */
export const dsmr2mqtt = withoutMemory({ name: 'dsmr2mqtt', takes: (topic) => parseTopic(topic) !== null, decode });

function decode(message: DeviceMessage): Heard | null {
  const parsed = parseTopic(message.topic);
  if (!parsed) return null;
  if (parsed.leaf === 'el' || parsed.leaf === 'gas') return decodeMeter(message, parsed);
  if (parsed.leaf !== 'status') return nothing();
  const heard = hearing();
  const value = readText(message.payload) ?? 'not text';
  heard.addState({ device: parsed.prefix, channel: 'device', kind: 'availability', value, name: 'status' });
  return heard;
}

function decodeMeter({ payload, receivedAtMs }: DeviceMessage, { prefix, leaf }: Dsmr2mqttTopic): Heard {
  const body = readObject(payload);
  if (!body) return refusal('payload is not a JSON object');
  const heard = hearing();
  const serial = member(body, 'serial');
  const device = typeof serial === 'string' && serial !== '' ? serial : prefix;
  const seconds = readNumber(member(body, 'timestamp'));
  const atMs = trusted(typeof seconds === 'number' ? fromUnix(seconds) : null, receivedAtMs);
  if (leaf === 'gas') {
    const value = member(body, 'gas_consumed');
    const gas = { device, channel: volumeChannel('gas'), kind: 'volume_total_m3', name: 'gas_consumed' } as const;
    heard.add({ ...gas, value, per: 1_000, atMs });
    return heard;
  }
  for (const [name, channel, kind, per] of MEMBERS) {
    heard.add({ device, channel, kind, value: member(body, name), per, atMs, name });
  }
  for (const [name, channel] of TOTALS) {
    const value = member(body, name);
    if (Object.hasOwn(body, `${name}1`) || Object.hasOwn(body, `${name}2`) || readNumber(value) === 0) continue;
    heard.add({ device, channel, kind: 'energy_total_kwh', value, per: 1_000, atMs, name });
  }
  return heard;
}
