import { type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, member, readObject, readText } from '../read/payload.ts';
import { fromUnix, trusted } from '../read/time.ts';

interface Field {
  channel: string;
  kind: SaidKind;
}

const phases = ['1', '2', '3'];
const directions: readonly [string, string, string][] = [
  ['import', 'P', 'tPI'],
  ['export', 'PO', 'tPO'],
];

/** By path below `meter/` (raw) and by member (JSON). Power is in W, never negative; counters are in kWh. */
const ALL = directions.flatMap(([direction, power, total]): [string, string, Field][] => [
  [`${direction}/active`, power, { channel: direction, kind: 'power_w' }],
  [`${direction}/active/accumulated`, total, { channel: direction, kind: 'energy_total_kwh' }],
  ...['1', '2'].map((tariff): [string, string, Field] => [
    `${direction}/active/accumulated/tariff${tariff}`,
    `${total}T${tariff}`,
    { channel: `${direction}/t${tariff}`, kind: 'energy_total_kwh' },
  ]),
  ...phases.flatMap((phase): [string, string, Field][] => [
    [`${direction}/l${phase}`, `${power}${phase}`, { channel: `${direction}/l${phase}`, kind: 'power_w' }],
    [
      `${direction}/l${phase}/accumulated`,
      `${total}${phase}`,
      { channel: `${direction}/l${phase}`, kind: 'energy_total_kwh' },
    ],
  ]),
]);

const FIELDS: ReadonlyMap<string, Field> = new Map(ALL.map(([path, , field]) => [path, field]));
const FIELDS_OF_MEMBERS: ReadonlyMap<string, Field> = new Map(ALL.map(([, name, field]) => [name, field]));

/** `…/meter/import/active`, with the part of the topic that says what it is. */
const RAW = /^(.+)\/meter\/((?:import|export)\/[a-z0-9/]+)$/;
/** A list in JSON by its number, where the payload format has a topic for each. */
const LIST = /^(.+)\/list[1-4]$/;
/**
 * JSON comes on a topic that is its owner's choice alone: these are the first members of a list, and the power that each has. What it says of
 * itself begins like that, too, and can be announced to Home Assistant.
 */
const START = '{"id":"';
const FIRST_MEMBERS = ['"name":"', '"up":', '"vcc":', '"rssi":'];
/** The first members stand in so many bytes. */
const HEAD_LENGTH = 300;
const POWER = '"P":';

/** Reads a value's topic (payload formats `Raw`): the topic before `meter`, and its path below. Null for every other topic. */
function parseRaw(topic: string): { device: string; path: string } | null {
  const [, device, path = ''] = RAW.exec(topic) ?? [];
  return device !== undefined && FIELDS.has(path) ? { device, path } : null;
}

/** The topic that its owner has chosen, out of one of a list. */
const deviceOf = (topic: string): string => LIST.exec(topic)?.[1] ?? topic;

/** Whether a body is a list in JSON, by its bytes: a meter's number can be no text. */
function isJson(payload: Buffer): boolean {
  if (payload[0] !== START.charCodeAt(0)) return false;
  const head = payload.toString('latin1', 0, HEAD_LENGTH);
  return head.startsWith(START) && FIRST_MEMBERS.every((name) => head.includes(name)) && payload.includes(POWER);
}

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
  for (const [name, field] of FIELDS_OF_MEMBERS) heard.add({ device, value: member(data, name), atMs, name, ...field });
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
