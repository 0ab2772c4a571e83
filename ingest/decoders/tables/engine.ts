import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { findNumberWithUnit, findUnnamedValue } from '../names/siblings.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, hasJsonObjectWithWords, parseNameValuePairs, readJson, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import {
  createEmptyResult,
  createRefusedResult,
  createValueCollector,
  negateNumber,
  type ValueCollector,
} from '../read/value-collector.ts';
import {
  type BodyPlaceholder,
  type CompiledField,
  type CompiledTopic,
  compileTopics,
  findUnitScale,
  isKnownUnit,
  type JsonPathReader,
} from './compile.ts';
import { type FamilyTable, type FieldDefinition, readFamilyTable, type TopicDefinition } from './form.ts';
import { createTopicMatchCache, matchPattern, type PlaceholderValues } from './pattern.ts';

/** Result of matching a topic with an entry of the table: the device, and the fields to decode. */
interface Match {
  topic: CompiledTopic;
  named: PlaceholderValues;
  device: string;
  fields: readonly FieldMatch[];
  /**
   * Text of the entry's member `known` or `unknown`, filled in. With `known`, the entry applies only if an earlier message has stored this
   * text; with `unknown`, only if none has. Null: the entry has neither member and always applies.
   */
  known: string | null;
  mentioned: CompiledTopic['mentioned'];
}

/** A field, with the placeholders of its name replaced by the values in the topic. */
interface FieldMatch {
  field: CompiledField;
  name: string;
  channel: string;
  named: PlaceholderValues;
}

/** Texts that earlier messages of a family have stored. Each is a filled-in template from the table's member `remembers`. */
type Marks = Set<string>;
/** Maximum number of stored texts (marks) per family and gateway. */
const MAX_MARKS = 2_000;

/** Returns the family of the table `<name>.json`. Throws if the table is invalid (`parseFamilyTable`). */
export const loadTableFamily = (name: string): Family<Marks> => createTableFamily(readFamilyTable(name));

/** Creates the decoder of a device family from the family's table. */
export function createTableFamily(table: FamilyTable): Family<Marks> {
  const topics = table.topics.flatMap((entry) => compileTopics(entry, table));
  const own = topics.filter(({ pattern }) => pattern !== null);
  const anywhere = topics.filter(({ pattern }) => pattern === null);
  const matches = createTopicMatchCache((topic) => matchesOf(own, topic));
  const hasMarks = topics.some(({ remembers }) => remembers !== null);
  const rememberedOn = (topic: string) =>
    hasMarks ? matches(topic).find((match) => match.topic.remembers !== null) : undefined;
  return {
    name: table.family,
    takes: (topic) => matches(topic).length > 0,
    ...(anywhere.length > 0 && {
      knows: (payload: Buffer) => anywhere.some(({ mentioned, entry }) => isMentioned(mentioned, entry, payload)),
    }),
    remembers: (topic) => rememberedOn(topic) !== undefined,
    newMemory: () => new Set(),
    isNews: (marks, message) => changeOf(marks, rememberedOn(message.topic), message) !== null,
    learn(marks, message) {
      const change = changeOf(marks, rememberedOn(message.topic), message);
      if (change?.isSet) marks.add(change.mark);
      else if (change) marks.delete(change.mark);
    },
    decode(message, settings, marks) {
      const found =
        applicableOf(matches(message.topic), message, marks) ??
        (anywhere.length > 0 ? applicableOf(matchesOf(anywhere, message.topic), message, marks) : undefined);
      if (!found) return null;
      return found.topic.entry.ignored ? createEmptyResult() : read(found, message, settings);
    },
  };
}

/**
 * Returns the change that a message makes to the stored texts: a text to add or remove. Null if the message changes nothing, for example
 * because it contains no value.
 */
function changeOf(marks: Marks, match: Match | undefined, { payload }: DeviceMessage) {
  const remembers = match?.topic.remembers;
  if (!match || !remembers || !isMentioned(match.mentioned, match.topic.entry, payload)) return null;
  const mark = remembers.of(match.named);
  const value = remembers.at ? (remembers.at(readJson(payload)) ?? undefined) : true;
  if (value === undefined) return null;
  const isSet = remembers.is === undefined || value === remembers.is;
  return isSet === marks.has(mark) || (isSet && marks.size >= MAX_MARKS) ? null : { mark, isSet };
}

/**
 * Returns the first match that applies to a message, according to the texts in the payload and the texts that earlier messages have stored.
 * Written as a loop for speed, because it runs for each message of the family.
 */
function applicableOf(matches: readonly Match[], { payload }: DeviceMessage, marks: Marks): Match | undefined {
  for (const match of matches) {
    const isRemembered = match.known === null || marks.has(match.known) === (match.topic.entry.known !== undefined);
    if (isRemembered && isMentioned(match.mentioned, match.topic.entry, payload)) return match;
  }
  return undefined;
}

/**
 * Whether a payload contains the texts that an entry of the table requires. If the entry contains a list of alternatives, one of them
 * suffices.
 */
const isMentioned = (
  mentioned: CompiledTopic['mentioned'],
  { payload: form }: TopicDefinition,
  payload: Buffer,
): boolean =>
  mentioned.length === 0 ||
  mentioned.every((texts) =>
    texts.some((text) => (form === 'json' ? hasJsonObjectWithWords(payload, text) : payload.includes(text))),
  );

/**
 * Returns the matches of a topic with the entries of a table, in the order of the table. To decode a message, the first match that applies
 * to the message is used.
 */
function matchesOf(topics: readonly CompiledTopic[], text: string): Match[] {
  const matches: Match[] = [];
  for (const topic of topics) {
    const match = matchOfOne(topic, text);
    if (match) matches.push(match);
    // This entry matches every message on the topic, so later entries are never used.
    if (match && topic.mentioned.length === 0 && topic.known === null) break;
  }
  return matches;
}

function matchOfOne(topic: CompiledTopic, text: string): Match | null {
  const named = topic.pattern ? matchPattern(topic.pattern, text) : {};
  if (!named) return null;
  if (!topic.hasField) return matchOf(topic, { ...named, topic: text }, topic.fields);
  const name = named.field ?? '';
  const found = topic.byName.get(name);
  if (found) return matchOf(topic, named, [found]);
  for (const field of topic.fields) {
    const within = field.pattern && matchPattern(field.pattern, name);
    if (within) return matchOf(topic, { ...named, ...within }, [field]);
  }
  return null;
}

const matchOf = (topic: CompiledTopic, named: PlaceholderValues, fields: readonly CompiledField[]): Match => ({
  topic,
  named,
  device: topic.device(named),
  fields: fields.map((field) => fieldMatchOf(field, named, named.field ?? field.name)),
  known: topic.known?.(named) ?? null,
  mentioned: topic.hasField
    ? topic.mentioned.map((texts) => texts.map((text) => text.replace('{field}', () => named.field ?? '')))
    : topic.mentioned,
});

const fieldMatchOf = (field: CompiledField, named: PlaceholderValues, name: string): FieldMatch => ({
  field,
  name: field.native?.(named) ?? name,
  channel: field.channel(named),
  named,
});

function read(match: Match, message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult {
  // An empty payload only deletes a retained message and contains no value.
  if (message.payload.length === 0) return createEmptyResult();
  if ((match.topic.entry.payload ?? 'text') !== 'text') return readBody(match, message, settings);
  const collector = createValueCollector();
  const text = readText(message.payload);
  const wrapped = message.payload[0] === OPENING_BRACE ? unwrapValue(message, settings) : null;
  for (const { field, name, channel, named } of match.fields) {
    if (text === null) return createRefusedResult(`${name} is not text`);
    const device = field.device?.(named) ?? match.device;
    const { value, atMs, unit }: WrappedValue = wrapped ?? { value: text, atMs: null };
    const scale =
      unit === undefined || !OWN_UNIT.has(field.entry.kind) ? field.scale : findUnitScale(field.entry.kind, unit);
    if (scale)
      add(collector, scale === field.scale ? field : { ...field, scale }, { device, channel, value, atMs, name });
    else collector.refuse(`${name} has no unit that is known`, device);
  }
  return collector;
}

const OPENING_BRACE = 0x7b;

/**
 * A number that a program has wrapped into an object, with its time and its unit: `{"value": 12.5, "unit": "Wh"}`. The unit takes precedence
 * over the unit in the table.
 */
interface WrappedValue {
  value: unknown;
  atMs: number | null;
  unit?: string | undefined;
}

function unwrapValue({ payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): WrappedValue | null {
  const body = asObjectOrNull(readJson(payload));
  const value = body && findUnnamedValue(body);
  if (value === null || value === undefined) return null;
  const atMs = parseMessageTime(body?.time ?? body?.ts ?? body?.timestamp, undefined, { tz, receivedAtMs });
  return { value, atMs, unit: body ? findNumberWithUnit(body)?.unit : undefined };
}

function readBody(match: Match, { payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): FamilyDecodeResult {
  const { entry, isObject, container, hasField, time, lists, fromBody } = match.topic;
  const json = entry.payload === 'pairs' ? parseNameValuePairs(payload) : readJson(payload);
  if (json === undefined && entry.payload === 'pairs') return createRefusedResult('payload is no text of name=value');
  if (json === undefined || (isObject && !asObjectOrNull(json)))
    return createRefusedResult(isObject ? 'payload is not a JSON object' : 'payload is not JSON');
  if (container && !asObjectOrNull(container.read(json)))
    return createRefusedResult(`payload has no object ${container.path}`);
  const collector = createValueCollector();
  const named = fromBody.length === 0 ? null : namedByBody(fromBody, json, match.named);
  const device = named ? match.topic.device(named) : match.device;
  const broken = lists.filter((list) => isBroken(list, json));
  for (const { path, least } of broken) collector.refuse(`${path} is not a list of at least ${least}`, device);
  const timeAt = (place: JsonPathReader) => parseMessageTime(place(json), entry.time?.form, { tz, receivedAtMs });
  const messageAtMs = time && timeAt(time);
  const addValue = ({ field, name, channel: ofTopic, named: ofField }: FieldMatch, value: unknown) => {
    if (field.unless.some((place) => (place(json) ?? undefined) !== undefined) || !field.where(json)) return;
    if (broken.some(({ path }) => field.path.startsWith(`${path}[`))) return;
    const ownTime = field.readTime?.(json) === undefined ? null : field.readTime;
    const parts = named ? { ...ofField, ...named } : ofField;
    const atMs = ownTime ? timeAt(ownTime) : messageAtMs;
    const place = { device: field.device?.(parts) ?? device, channel: named ? field.channel(parts) : ofTopic };
    add(collector, field, { ...place, value, atMs, name, unit: field.readUnit?.(json) });
  };
  // If the body must contain certain texts, these have already identified the family.
  let isUnread = match.mentioned.length === 0 && broken.length === 0;
  for (const one of match.fields) {
    const value = one.field.read(json);
    if (value !== undefined || hasField) isUnread = false;
    if (value === undefined && hasField) collector.refuse(`${one.name} has no value`, device);
    if (value !== undefined && value !== null) addValue(one, value);
  }
  return isUnread ? { ...collector, isUnread } : collector;
}

const namedByBody = (parts: readonly BodyPlaceholder[], json: unknown, named: PlaceholderValues): PlaceholderValues => {
  const all: Record<string, string> = { ...named };
  for (const { name, read, words, otherwise } of parts) {
    const place = read(json);
    const value = typeof place === 'number' ? String(place) : place;
    const word = typeof value !== 'string' || value === '' ? undefined : wordFor(words, value);
    all[name] = word ?? otherwise(named);
  }
  return all;
};

/** Whether a value that must be a list has another type or is too short. Null is accepted, because it means "no reading". */
function isBroken({ read, least }: CompiledTopic['lists'][number], json: unknown): boolean {
  const value = read(json);
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length >= least);
}

/** Returns the value of a word in `words`; undefined if `words` does not contain the word. Without `words`, returns the word itself. */
const wordFor = <T>(words: Readonly<Record<string, T>> | undefined, word: string): T | string | undefined =>
  words === undefined ? word : Object.hasOwn(words, word) ? words[word] : undefined;

/** Unit that is shown in the question to the owner, by kind of value. */
const OWN_UNIT = new Map<string, string>([
  ['energy_total_kwh', 'kWh'],
  ['power_w', 'W'],
  ['volume_total_m3', 'm³'],
]);

/** Matches a whole number of at most ten digits, as C prints a `long`. Also matches an empty text. */
const WHOLE = /^\s*(?:-?\d{1,10}\s*)?$/;

interface Reading {
  device: string;
  channel: string;
  value: unknown;
  atMs: number | null;
  name: string;
  /** Unit that the body states. Set only if the table states the position of the unit in the body. */
  unit?: unknown;
}

function add(collector: ValueCollector, { entry, scale, readUnit, isShared }: CompiledField, reading: Reading): void {
  const { device, channel, value, atMs, name, unit } = reading;
  const { kind, words, none_below, whole, asks, turned, comma } = entry;
  if (kind === 'heating' || kind === 'availability') {
    const word = words && typeof value === 'string' ? wordFor(words, value.trim()) : undefined;
    collector.addState({ device, channel, kind, value: word ?? value, atMs, name });
    return;
  }
  const point = comma && typeof value === 'string' ? value.replace(',', '.') : value;
  const number = none_below === undefined ? undefined : readNumber(point);
  if (typeof number === 'number' && none_below !== undefined && number < none_below) return;
  const ofBody = readUnit ? findUnitScale(kind, unit) : UNSCALED;
  if (!ofBody) {
    if (!(isShared && isKnownUnit(unit))) collector.refuse(`${name} has no unit that is known`, device);
    return;
  }
  const [times, per] = [scale.times * ofBody.times, scale.per * ofBody.per];
  if (whole && !WHOLE.test(String(value))) collector.refuse(`${name} is not a whole number`, device);
  else {
    const signed = turned ? negateNumber(point) : point;
    collector.add({ device, channel, kind, value: signed, times, per, atMs, name, asks: asks && asksFor(kind) });
  }
}

const UNSCALED = { times: 1, per: 1 };
const asksFor = (kind: FieldDefinition['kind']) => ({ unit: OWN_UNIT.get(kind) ?? null });
