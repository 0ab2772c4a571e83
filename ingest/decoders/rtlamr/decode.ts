import { createStatelessFamily, type DecoderSettings, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { asObjectOrNull, getMember, hasJsonObjectWithWords, type Json, parseJsonObject } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';
import { addMeterRegisters, getMediumOfErtType, type MeteredMedium, parseMeterId } from './meter.ts';

/** Matches the topic on which rtlamr2mqtt publishes values. rtlamr2mqtt's discovery messages state what the values mean. */
const STATE = /^rtlamr\/([\w-]{1,64})\/state$/;
const OTHERS = new Set(['attributes', 'state', 'status', 'config']);

/** Returns the meter's id from rtlamr2mqtt's topic `rtlamr/{id}/state`; null for every other topic. */
const parseStateTopic = (topic: string): string | null => STATE.exec(topic)?.[1] ?? null;

/** Whether a payload may be a message of rtlamr. A quick check before parsing, because users publish rtlamr's output on any topic. */
const mayBeMessage = (payload: Buffer): boolean => hasJsonObjectWithWords(payload, '"Message"');

/** Whether only rtlamr publishes on the topic, so that the decoder refuses unreadable messages. */
function isOwnTopic(topic: string): boolean {
  // Returns early, because this function is also called for every message of other families.
  if (!topic.startsWith('rtlamr')) return false;
  const words = topic.split('/');
  return words[0] === 'rtlamr' && !OTHERS.has(words.at(-1) ?? '');
}

/** Names of the members with the meter's id, the meter's type and the counts, by the type of rtlamr's message. */
const TYPES = new Map<string, { id: string; type?: string; medium?: MeteredMedium; imports: string; exports?: string }>(
  [
    ['SCM', { id: 'ID', type: 'Type', imports: 'Consumption' }],
    ['SCM+', { id: 'EndpointID', type: 'EndpointType', imports: 'Consumption' }],
    ['IDM', { id: 'ERTSerialNumber', type: 'ERTType', imports: 'LastConsumptionCount' }],
    // The decoder ignores LastConsumptionCount of NetIDM, because older versions use this name for the net count.
    ['NetIDM', { id: 'ERTSerialNumber', type: 'ERTType', imports: 'LastConsumption', exports: 'LastGeneration' }],
    ['R900', { id: 'ID', medium: 'water', imports: 'Consumption' }],
    ['R900BCD', { id: 'ID', medium: 'water', imports: 'Consumption' }],
  ],
);

/** Decoder of North American ERT meters: messages of rtlamr (`-format=json`) that users publish to a broker. */
export const rtlamrFamily = createStatelessFamily({
  name: 'rtlamr',
  takes: (topic) => parseStateTopic(topic) !== null || isOwnTopic(topic),
  knows: mayBeMessage,
  decode,
});

function decode({ topic, payload, receivedAtMs }: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  const state = parseStateTopic(topic);
  if (state !== null) return decodeState(state, payload, receivedAtMs, settings);
  const own = isOwnTopic(topic);
  // Users choose the topic freely, so most payloads belong to other families. A quick check therefore precedes the parsing.
  if (!own && !mayBeMessage(payload)) return null;
  const body = parseJsonObject(payload);
  const type = getMember(body, 'Type');
  const message = asObjectOrNull(getMember(body, 'Message'));
  if (typeof type !== 'string' || !message || getMember(body, 'Time') === undefined) {
    return own ? createRefusedResult('payload is not a message of rtlamr: JSON with Time, Type and Message') : null;
  }
  return decodeMessage(type, message, parseMessageTime(getMember(body, 'Time'), 'iso', { receivedAtMs }), settings);
}

function decodeMessage(
  type: string,
  message: Json,
  atMs: number | null,
  settings: DecoderSettings,
): FamilyDecodeResult {
  const where = TYPES.get(type);
  if (!where) return createEmptyResult();
  const device = parseMeterId(getMember(message, where.id));
  if (device === null) return createRefusedResult(`Message.${where.id} is not the id of a meter`);
  const collector = createValueCollector();
  const medium = where.medium ?? getMediumOfErtType(where.type && getMember(message, where.type));
  const count = (direction: 'import' | 'export', name?: string) =>
    name === undefined ? [] : [{ direction, value: getMember(message, name), name }];
  addMeterRegisters(collector, [...count('import', where.imports), ...count('export', where.exports)], {
    device,
    medium,
    atMs,
    settings,
  });
  return collector;
}

/**
 * Decodes a state message of rtlamr2mqtt with the unit that the owner has set for the meter. If no unit is set, the generic family decodes
 * the message with the unit in rtlamr2mqtt's discovery message.
 */
function decodeState(
  device: string,
  payload: Buffer,
  receivedAtMs: number,
  settings: DecoderSettings,
): FamilyDecodeResult | null {
  if (!Object.hasOwn(settings.meter ?? {}, device)) return null;
  const body = parseJsonObject(payload);
  if (!body) return createRefusedResult('payload is not a JSON object');
  const collector = createValueCollector();
  const atMs = parseMessageTime(getMember(body, 'lastseen'), 'iso', { receivedAtMs });
  const reading = { direction: 'import' as const, value: getMember(body, 'reading'), name: 'reading' };
  addMeterRegisters(collector, [reading], { device, medium: 'electric', atMs, settings });
  return collector;
}
