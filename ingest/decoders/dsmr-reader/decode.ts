import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, mentions, readJson, readText } from '../read/payload.ts';
import { fromIso, trusted } from '../read/time.ts';
import { volumeChannel } from '../read/volume.ts';

/** Where a field of a reading goes; energy is in kWh, power in kW, gas in m³. */
interface Field {
  channel: string;
  kind: 'energy_total_kwh' | 'power_w' | 'volume_total_m3';
  /** To the unit of the kind. */
  times: number;
}

const register = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', times: 1 });
const power = (channel: string): Field => ({ channel, kind: 'power_w', times: 1_000 });
const gas: Field = { channel: volumeChannel('gas'), kind: 'volume_total_m3', times: 1 };

/** Delivered is to the client, returned is to the grid; each has a power of its own, which is never negative. */
const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['electricity_delivered_1', register('import/t1')],
  ['electricity_delivered_2', register('import/t2')],
  ['electricity_returned_1', register('export/t1')],
  ['electricity_returned_2', register('export/t2')],
  ['electricity_currently_delivered', power('import')],
  ['electricity_currently_returned', power('export')],
  ['phase_currently_delivered_l1', power('import/l1')],
  ['phase_currently_delivered_l2', power('import/l2')],
  ['phase_currently_delivered_l3', power('import/l3')],
  ['phase_currently_returned_l1', power('export/l1')],
  ['phase_currently_returned_l2', power('export/l2')],
  ['phase_currently_returned_l3', power('export/l3')],
  ['extra_device_delivered', gas],
]);

/** A field by its name; undefined for voltages, currents and whatever else is neither energy nor gas. */
const field = (name: string): Field | undefined => FIELDS.get(name);

interface DsmrReaderTopic {
  /** What stands before `json` or `reading/…`; an installation has no other name. */
  device: string;
  /** `reading`: one field as text. `json`: all of them. `left`: day totals, statistics, gas once more, and the like. */
  kind: 'json' | 'reading' | 'left';
  /** Name of the field, for `reading`. */
  name: string;
}

/** What DSMR-reader publishes beside readings; day and month totals start again by themselves. */
const LEFT = new Set([
  'consumption',
  'day-consumption',
  'current-month',
  'current-year',
  'meter-stats',
  'period-totals',
]);
/** Words before the field of a reading. */
const READING = new Set(['reading', 'telegram']);

/** Whether the body is the JSON of a reading; it is looked at only where the topic says nothing, as that can be changed. */
const isReading = (payload: Buffer): boolean =>
  mentions(payload, '"electricity_delivered_1":', '"electricity_currently_delivered":');

/**
 * Reads `dsmr/json`, `dsmr/reading/{field}` and what else is beneath `dsmr/`, whatever stands before `dsmr`; null for every
 * other topic, dsmr2mqtt's `dsmr/el` and the raw telegrams of `dsmr/raw` among them.
 */
function parseTopic(topic: string): DsmrReaderTopic | null {
  // Every message of others comes by here, too.
  if (!topic.includes('dsmr') && !field(topic.slice(topic.lastIndexOf('/') + 1))) return null;
  const words = topic.split('/');
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  const root = (drop: number) => words.slice(0, -drop).join('/');
  const within = READING.has(before) && words.length > 2;
  // The path of a field can be chosen freely, its name is seldom changed, and nobody else's.
  if (words.length > 1 && (field(last) || (within && words.at(-3) === 'dsmr'))) {
    return { device: root(within ? 2 : 1), kind: 'reading', name: last };
  }
  if (last === 'json' && before === 'dsmr') return { device: root(1), kind: 'json', name: last };
  const at = words.indexOf('dsmr');
  return at >= 0 && LEFT.has(words[at + 1] ?? '')
    ? { device: words.slice(0, at + 1).join('/'), kind: 'left', name: last }
    : null;
}

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
