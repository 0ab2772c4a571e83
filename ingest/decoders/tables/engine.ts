import { compileJsonPath } from '#src/core/json-path.ts';
import { UNIT_SCALES } from '#src/devices/mapped-quantity.ts';
import {
  createStatelessFamily,
  type DecoderSettings,
  type DeviceMessage,
  type Family,
  type FamilyDecodeResult,
} from '../family.ts';
import { type Conditions, compileConditions } from '../read/conditions.ts';
import { readNumber } from '../read/number.ts';
import { asObject, mentionsWords, parseNameValuePairs, readJson, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createValueCollector, emptyResult, refusedResult, type ValueCollector } from '../read/value-collector.ts';
import { type FamilyTable, type FieldEntry, readTable, type TopicEntry, type TopicParts } from './form.ts';
import {
  cacheByTopic,
  compilePattern,
  compileTemplate,
  matchPattern,
  type PartValues,
  patternSourceOf,
  type TopicPattern,
} from './pattern.ts';

type ReadPlace = (json: unknown) => unknown;

/** A field of a table, compiled for reading. */
interface Field {
  entry: FieldEntry;
  channel: (named: PartValues) => string;
  /** The field's name as a pattern; null if it is a plain word. */
  pattern: TopicPattern | null;
  name: string;
  /** JSONPath of the field in a JSON body. */
  path: string;
  read: ReadPlace;
  readTime: ReadPlace | null;
  unless: readonly ReadPlace[];
  where: Conditions;
  /** Native id of the field's device, if it differs from the topic's. */
  device: ((named: PartValues) => string) | null;
  scale: { times: number; per: number };
}

/** A topic of a table, compiled for matching. */
interface Topic {
  entry: TopicEntry;
  /** Pattern of the topic; null matches any topic, so that the body alone identifies the family. */
  pattern: TopicPattern | null;
  hasField: boolean;
  fields: readonly Field[];
  byName: ReadonlyMap<string, Field>;
  device: (named: PartValues) => string;
  isObject: boolean;
  mentioned: readonly (readonly string[])[];
  time: ReadPlace | null;
  /** JSONPaths that must be lists, with their minimum lengths. */
  lists: readonly { path: string; read: ReadPlace; least: number }[];
  fromBody: readonly BodyPart[];
}

/**
 * A part of a template that the body fills in. `otherwise`: template for a body without this text, or with a text that is not in the list
 * of words.
 */
interface BodyPart {
  name: string;
  read: ReadPlace;
  words: Readonly<Record<string, string>> | undefined;
  otherwise: (named: PartValues) => string;
}

/** Result of matching a topic: its device, and the fields to read. */
interface Match {
  topic: Topic;
  named: PartValues;
  device: string;
  fields: readonly { field: Field; name: string; channel: string }[];
}

/** Returns the family of the table `<name>.json`. Throws if the table has an error (`parseTable`). */
export const loadTableFamily = (name: string): Family<null> => createTableFamily(readTable(name));

/** Returns the family that a table describes. */
export function createTableFamily(table: FamilyTable): Family<null> {
  const topics = table.topics.flatMap((entry) => topicsOf(entry, table));
  const own = topics.filter(({ pattern }) => pattern !== null);
  const anywhere = topics.filter(({ pattern }) => pattern === null);
  const matches = cacheByTopic((topic) => matchesOf(own, topic));
  return createStatelessFamily({
    name: table.family,
    takes: (topic) => matches(topic).length > 0,
    ...(anywhere.length > 0 && { knows: (payload) => anywhere.some((topic) => isMentioned(topic, payload)) }),
    decode(message, settings) {
      const found =
        mentionedOf(matches(message.topic), message) ??
        (anywhere.length > 0 ? mentionedOf(matchesOf(anywhere, message.topic), message) : undefined);
      if (!found) return null;
      return found.topic.entry.ignored ? emptyResult() : read(found, message, settings);
    },
  });
}

/** Returns the first match whose texts the body mentions. A loop, because each message of the family comes through here. */
function mentionedOf(matches: readonly Match[], { payload }: DeviceMessage): Match | undefined {
  for (const match of matches) if (isMentioned(match.topic, payload)) return match;
  return undefined;
}

/** Whether a body contains the texts that the topic requires: each single text, and at least one of each list of texts. */
const isMentioned = ({ mentioned, entry }: Topic, payload: Buffer): boolean =>
  mentioned.length === 0 ||
  mentioned.every((texts) =>
    texts.some((text) => (entry.payload === 'json' ? mentionsWords(payload, text) : payload.includes(text))),
  );

/** Returns the topics of an entry, one for each of its patterns. */
function topicsOf(entry: TopicEntry, table: FamilyTable): Topic[] {
  const parts = { ...table.parts, ...entry.parts };
  const isJson = (entry.payload ?? 'text') !== 'text';
  const given = entry.ignored ? {} : (entry.fields ?? table.fields ?? {});
  const fields = Object.entries(given).map(([name, field]) => fieldOf(name, field, parts, isJson));
  const shared = {
    entry,
    fields,
    byName: new Map(fields.filter(({ pattern }) => !pattern).map((field) => [field.name, field])),
    device: compileTemplate(entry.device ?? '{device}'),
    mentioned: (entry.mentions ?? []).map((texts) => [texts].flat()),
    time: entry.time ? placeOf(entry.time.at) : null,
    lists: Object.entries(entry.lists ?? {}).map(([path, least]) => ({ path, read: placeOf(path), least })),
    fromBody: Object.entries(entry.from_body ?? {}).map(([name, { at, words, else: otherwise }]) => ({
      ...{ name, read: placeOf(at), words },
      otherwise: compileTemplate(otherwise),
    })),
    isObject: fields.every(({ path }) => /^\$(?:\.|\[')/.test(path)),
  };
  const withField = { ...parts, field: fields.map(({ name }) => patternSourceOf(name, parts)).join('|') };
  return [entry.topic].flat().map((text) => ({
    ...shared,
    pattern: text === '#' ? null : compilePattern(text, withField),
    hasField: text.includes('{field}'),
  }));
}

const UNSCALED = { times: 1, per: 1 };

function fieldOf(name: string, entry: FieldEntry, parts: TopicParts, isJson: boolean): Field {
  const isPattern = name.includes('{');
  const path = entry.at ?? `$.${name}`;
  const scales = UNIT_SCALES[entry.kind as keyof typeof UNIT_SCALES];
  const { times, per } = (entry.unit && scales?.get(entry.unit)) ?? UNSCALED;
  return {
    entry,
    name,
    pattern: isPattern ? compilePattern(name, parts) : null,
    channel: compileTemplate(entry.channel),
    path,
    read: isJson ? placeOf(path) : () => undefined,
    readTime: entry.time_at === undefined ? null : placeOf(entry.time_at),
    unless: (entry.unless ?? []).map(placeOf),
    where: compileConditions(entry.where),
    device: entry.device === undefined ? null : compileTemplate(entry.device),
    scale: { times, per: per * (entry.per ?? 1) },
  };
}

function placeOf(path: string): ReadPlace {
  const place = compileJsonPath(path);
  if (!place) throw new Error(`${path} is no path to one place: name it with "at"`);
  return place;
}

/** Returns how each entry matches a topic, in the order of the table. The first one whose texts the body mentions decodes a message. */
function matchesOf(topics: readonly Topic[], text: string): Match[] {
  const matches: Match[] = [];
  for (const topic of topics) {
    const match = matchOfOne(topic, text);
    if (match) matches.push(match);
    // Whatever comes after an entry for all bodies can decode nothing.
    if (match && topic.mentioned.length === 0) break;
  }
  return matches;
}

function matchOfOne(topic: Topic, text: string): Match | null {
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

const matchOf = (topic: Topic, named: PartValues, fields: readonly Field[]): Match => ({
  topic,
  named,
  device: topic.device(named),
  fields: fields.map((field) => ({ field, name: named.field ?? field.name, channel: field.channel(named) })),
});

function read(match: Match, message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult {
  // An empty payload deletes a retained message.
  if (message.payload.length === 0) return emptyResult();
  if ((match.topic.entry.payload ?? 'text') !== 'text') return readBody(match, message, settings);
  const collector = createValueCollector();
  const { device } = match;
  const value = readText(message.payload);
  for (const { field, name, channel } of match.fields) {
    if (value === null) return refusedResult(`${name} is not text`);
    add(collector, field, { device: field.device?.(match.named) ?? device, channel, value, atMs: null, name });
  }
  return collector;
}

function readBody(match: Match, { payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): FamilyDecodeResult {
  const { entry, isObject, time, lists, fromBody } = match.topic;
  const json = entry.payload === 'pairs' ? parseNameValuePairs(payload) : readJson(payload);
  if (json === undefined && entry.payload === 'pairs') return refusedResult('payload is no text of name=value');
  if (json === undefined || (isObject && !asObject(json)))
    return refusedResult(isObject ? 'payload is not a JSON object' : 'payload is not JSON');
  const collector = createValueCollector();
  const named = fromBody.length === 0 ? null : namedByBody(fromBody, json, match.named);
  const device = named ? match.topic.device(named) : match.device;
  const broken = lists.filter((list) => isBroken(list, json));
  for (const { path, least } of broken) collector.refuse(`${path} is not a list of at least ${least}`, device);
  const timeAt = (place: ReadPlace) => parseMessageTime(place(json), entry.time?.form, { tz, receivedAtMs });
  const messageAtMs = time && timeAt(time);
  for (const { field, name, channel: ofTopic } of match.fields) {
    const value = field.read(json);
    if (value === undefined || value === null) continue;
    if (field.unless.some((place) => (place(json) ?? undefined) !== undefined) || !field.where(json)) continue;
    if (broken.some(({ path }) => field.path.startsWith(`${path}[`))) continue;
    const ownTime = field.readTime?.(json) === undefined ? null : field.readTime;
    const channel = named ? field.channel(named) : ofTopic;
    const of = field.device?.(named ?? match.named) ?? device;
    add(collector, field, { device: of, channel, value, atMs: ownTime ? timeAt(ownTime) : messageAtMs, name });
  }
  return collector;
}

const namedByBody = (parts: readonly BodyPart[], json: unknown, named: PartValues): PartValues => {
  const all: Record<string, string> = { ...named };
  for (const { name, read, words, otherwise } of parts) {
    const place = read(json);
    const value = typeof place === 'number' ? String(place) : place;
    const word = typeof value !== 'string' || value === '' ? undefined : wordFor(words, value);
    all[name] = word ?? otherwise(named);
  }
  return all;
};

/** Whether a value that must be a list is something else or too short. Null always means "no reading" and is accepted. */
function isBroken({ read, least }: Topic['lists'][number], json: unknown): boolean {
  const value = read(json);
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length >= least);
}

/** Returns the replacement of a word; the word itself if there is no list of words; undefined if the list does not contain it. */
const wordFor = <T>(words: Readonly<Record<string, T>> | undefined, word: string): T | string | undefined =>
  words === undefined ? word : Object.hasOwn(words, word) ? words[word] : undefined;

/** Unit of each kind, used in questions to the owner. */
const OWN_UNIT = new Map<string, string>([
  ['energy_total_kwh', 'kWh'],
  ['power_w', 'W'],
  ['volume_total_m3', 'm³'],
]);

/** A whole number of at most ten digits, as C prints a `long`. */
const WHOLE = /^\s*(?:-?\d{1,10}\s*)?$/;

interface Reading {
  device: string;
  channel: string;
  value: unknown;
  atMs: number | null;
  name: string;
}

function add(
  collector: ValueCollector,
  { entry, scale }: Field,
  { device, channel, value, atMs, name }: Reading,
): void {
  const { kind, words, none_below, whole, asks } = entry;
  if (kind === 'heating' || kind === 'availability') {
    const word = words && typeof value === 'string' ? wordFor(words, value.trim()) : undefined;
    collector.addState({ device, channel, kind, value: word ?? value, atMs, name });
    return;
  }
  const number = none_below === undefined ? undefined : readNumber(value);
  if (typeof number === 'number' && none_below !== undefined && number < none_below) return;
  const { times, per } = scale;
  if (whole && !WHOLE.test(String(value))) collector.refuse(`${name} is not a whole number`, device);
  else collector.add({ device, channel, kind, value, times, per, atMs, name, asks: asks && asksFor(kind) });
}

const asksFor = (kind: FieldEntry['kind']) => ({ unit: OWN_UNIT.get(kind) ?? null });
