import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, mentions, readObject } from '../read/payload.ts';
import { fromIso, trusted } from '../read/time.ts';
import { addCounts, type Medium, mediumOfErt, meterId } from './meter.ts';

/** Topics of rtlamr2mqtt; its discovery says what they are of. */
const STATE = /^rtlamr\/([\w-]{1,64})\/state$/;
const OTHERS = new Set(['attributes', 'state', 'status', 'config']);

/** The meter of `rtlamr/{id}/state`, as rtlamr2mqtt publishes it; null for every other topic. */
const parseStateTopic = (topic: string): string | null => STATE.exec(topic)?.[1] ?? null;

/** Whether it is worth parsing a body on somebody's topic: users pipe what rtlamr prints to any. */
const mayBeMessage = (payload: Buffer): boolean => mentions(payload, '"Message"');

/** Whether nobody else publishes on the topic, so that what cannot be read there is worth a refusal. */
function isOwnTopic(topic: string): boolean {
  // Every message of others comes by here, too.
  if (!topic.startsWith('rtlamr')) return false;
  const words = topic.split('/');
  return words[0] === 'rtlamr' && !OTHERS.has(words.at(-1) ?? '');
}

/** Where each type of message has its meter's id, the meter's type, and its counts. */
const TYPES = new Map<string, { id: string; type?: string; medium?: Medium; imports: string; exports?: string }>([
  ['SCM', { id: 'ID', type: 'Type', imports: 'Consumption' }],
  ['SCM+', { id: 'EndpointID', type: 'EndpointType', imports: 'Consumption' }],
  ['IDM', { id: 'ERTSerialNumber', type: 'ERTType', imports: 'LastConsumptionCount' }],
  // Older versions call the net count LastConsumptionCount, which is therefore not read here.
  ['NetIDM', { id: 'ERTSerialNumber', type: 'ERTType', imports: 'LastConsumption', exports: 'LastGeneration' }],
  ['R900', { id: 'ID', medium: 'water', imports: 'Consumption' }],
  ['R900BCD', { id: 'ID', medium: 'water', imports: 'Consumption' }],
]);

/** North American ERT meters, as rtlamr prints them (`-format=json`) and users pipe it to a broker. */
export const rtlamr = withoutMemory({
  name: 'rtlamr',
  takes: (topic) => parseStateTopic(topic) !== null || isOwnTopic(topic),
  knows: mayBeMessage,
  decode,
});

function decode({ topic, payload, receivedAtMs }: DeviceMessage, settings: DecoderSettings): Heard | null {
  const state = parseStateTopic(topic);
  if (state !== null) return decodeState(state, payload, receivedAtMs, settings);
  const own = isOwnTopic(topic);
  // Any topic may be theirs: look before parsing what is nearly always somebody else's.
  if (!own && !mayBeMessage(payload)) return null;
  const body = readObject(payload);
  const type = member(body, 'Type');
  const message = asObject(member(body, 'Message'));
  if (typeof type !== 'string' || !message || member(body, 'Time') === undefined) {
    return own ? refusal('payload is not a message of rtlamr: JSON with Time, Type and Message') : null;
  }
  return decodeMessage(type, message, trusted(fromIso(member(body, 'Time'), { receivedAtMs }), receivedAtMs), settings);
}

function decodeMessage(type: string, message: Json, atMs: number | null, settings: DecoderSettings): Heard {
  const where = TYPES.get(type);
  if (!where) return nothing();
  const device = meterId(member(message, where.id));
  if (device === null) return refusal(`Message.${where.id} is not the id of a meter`);
  const heard = hearing();
  const medium = where.medium ?? mediumOfErt(where.type && member(message, where.type));
  const count = (direction: 'import' | 'export', name?: string) =>
    name === undefined ? [] : [{ direction, value: member(message, name), name }];
  addCounts(heard, [...count('import', where.imports), ...count('export', where.exports)], {
    device,
    medium,
    atMs,
    settings,
  });
  return heard;
}

/** A state of rtlamr2mqtt, for who has set the meter by hand; without that its discovery is what tells the unit. */
function decodeState(device: string, payload: Buffer, receivedAtMs: number, settings: DecoderSettings): Heard | null {
  if (!Object.hasOwn(settings.meter ?? {}, device)) return null;
  const body = readObject(payload);
  if (!body) return refusal('payload is not a JSON object');
  const heard = hearing();
  const atMs = trusted(fromIso(member(body, 'lastseen'), { receivedAtMs }), receivedAtMs);
  const reading = { direction: 'import' as const, value: member(body, 'reading'), name: 'reading' };
  addCounts(heard, [reading], { device, medium: 'electric', atMs, settings });
  return heard;
}
