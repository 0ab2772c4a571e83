import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult, type ValueKind } from '../family.ts';
import { asObjectOrNull, getMember, type Json, parseJsonObject, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';

interface Field {
  channel: string;
  kind: ValueKind;
}

const phases = ['1', '2', '3'];
const directions: readonly [string, string, string][] = [
  ['import', 'P', 'tPI'],
  ['export', 'PO', 'tPO'],
];

/**
 * Fields of amsreader: the path below `meter/` in raw topics, the member in JSON, and the quantity. Power is in W and never negative;
 * counters are in kWh.
 */
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

/** Matches a raw topic with one value, such as `…/meter/import/active`. Captures the device's topic and the path of the field. */
const RAW = /^(.+)\/meter\/((?:import|export)\/[a-z0-9/]+)$/;
/** Matches a topic that ends in the number of a JSON list, because some payload formats publish each list on a topic of its own. */
const LIST = /^(.+)\/list[1-4]$/;
/**
 * First characters of a JSON list. The owner chooses the topic freely, so the decoder recognises a list by its first members and by a
 * power, which each list contains. The first members alone are not enough: system messages begin with the same members, and the decoder
 * leaves them to Home Assistant discovery.
 */
const START = '{"id":"';
const FIRST_MEMBERS = ['"name":"', '"up":', '"vcc":', '"rssi":'];
/** Number of bytes at the start of a payload that are searched for the first members of a list. */
const HEAD_LENGTH = 300;
const POWER = '"P":';

/**
 * Parses the topic of a single value, as in the payload formats `Raw`, into the topic before `meter` and the path below it. Returns null
 * for every other topic.
 */
function parseRaw(topic: string): { device: string; path: string } | null {
  const [, device, path = ''] = RAW.exec(topic) ?? [];
  return device !== undefined && FIELDS.has(path) ? { device, path } : null;
}

/** Removes a trailing list number from a topic. The rest is the topic that the owner has configured. */
const deviceOf = (topic: string): string => LIST.exec(topic)?.[1] ?? topic;

/** Whether a payload is a JSON list. Compares bytes, because the meter's number may contain invalid text. */
function isJson(payload: Buffer): boolean {
  if (payload[0] !== START.charCodeAt(0)) return false;
  const head = payload.toString('latin1', 0, HEAD_LENGTH);
  return head.startsWith(START) && FIRST_MEMBERS.every((name) => head.includes(name)) && payload.includes(POWER);
}

/** Decoder of amsreader (AmsToMqttBridge, amsleser.no), which reads the customer port of smart meters and publishes raw topics or JSON. */
export const amsreaderFamily = createStatelessFamily({
  name: 'amsreader',
  takes: (topic) => parseRaw(topic) !== null,
  knows: isJson,
  decode,
});

function decode(message: DeviceMessage): FamilyDecodeResult | null {
  const raw = parseRaw(message.topic);
  if (raw) return decodeRaw(message, raw);
  return isJson(message.payload) ? decodeJson(message) : null;
}

/** Decodes a single value. The value gets the time of receipt, because the reader publishes the time on another topic. */
function decodeRaw({ payload }: DeviceMessage, { device, path }: { device: string; path: string }): FamilyDecodeResult {
  const field = FIELDS.get(path);
  if (!field) return createEmptyResult();
  const text = readText(payload);
  if (text === null) return createRefusedResult(`${path} is not text`);
  const collector = createValueCollector();
  collector.add({ device, value: text, name: path, ...field });
  return collector;
}

/** Decodes a JSON list of the meter. The values lie below `data`, or at the top level if the owner has chosen flat JSON. */
function decodeJson({ topic, payload, receivedAtMs }: DeviceMessage): FamilyDecodeResult {
  const body = parseJsonObject(payload) ?? salvaged(payload);
  if (!body) return createRefusedResult('payload is not a JSON object');
  const data = asObjectOrNull(getMember(body, 'data')) ?? body;
  const device = deviceOf(topic);
  const collector = createValueCollector();
  const atMs = parseMessageTime(getMember(body, 't'), undefined, { receivedAtMs });
  for (const [name, field] of FIELDS_OF_MEMBERS)
    collector.add({ device, value: getMember(data, name), atMs, name, ...field });
  return collector;
}

/**
 * Replaces control characters in a list by blanks, then parses the list. The meter's number can contain control characters (amsreader's
 * issue 893), but the other values are correct.
 */
const salvaged = (payload: Buffer): Json | null =>
  parseJsonObject(Buffer.from(payload.toString('latin1').replaceAll(/\p{Cc}/gu, ' ')));
