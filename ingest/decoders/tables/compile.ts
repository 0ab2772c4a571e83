import { compileJsonPath } from '#src/core/json-path.ts';
import { UNIT_SCALES } from '#src/devices/mapped-quantity.ts';
import { compilePayloadConditions, type PayloadPredicate } from '../read/conditions.ts';
import type { FamilyTable, FieldDefinition, TopicDefinition, TopicPlaceholders } from './form.ts';
import {
  compilePattern,
  compileTemplate,
  convertTemplateToRegExpSource,
  type PlaceholderValues,
  type TopicPattern,
} from './pattern.ts';

export type JsonPathReader = (json: unknown) => unknown;
type FillTemplate = (named: PlaceholderValues) => string;

/** A field of a table in compiled form. */
export interface CompiledField {
  entry: FieldDefinition;
  channel: FillTemplate;
  /** Pattern of the field's name; null if the name is a plain word. */
  pattern: TopicPattern | null;
  name: string;
  /** Name that is shown to the owner, if it differs from the field's name in the topic or the body. */
  native: FillTemplate | null;
  /** JSONPath of the field in a JSON body. */
  path: string;
  read: JsonPathReader;
  /** Whether another field of the table decodes the same member in another unit. */
  isShared: boolean;
  readTime: JsonPathReader | null;
  readUnit: JsonPathReader | null;
  unless: readonly JsonPathReader[];
  where: PayloadPredicate;
  /** Native id of the field's device, if it is not the device of the topic. */
  device: FillTemplate | null;
  scale: { times: number; per: number };
}

export interface CompiledTopic {
  entry: TopicDefinition;
  /** Pattern of the topic. Null matches every topic: the payload alone then identifies the family. */
  pattern: TopicPattern | null;
  hasField: boolean;
  fields: readonly CompiledField[];
  byName: ReadonlyMap<string, CompiledField>;
  device: FillTemplate;
  isObject: boolean;
  /** Object in the body that contains the fields; null if the body itself contains them. */
  container: { path: string; read: JsonPathReader } | null;
  mentioned: readonly (readonly string[])[];
  time: JsonPathReader | null;
  /** JSONPaths whose values must be lists, with the minimum length of each list. */
  lists: readonly { path: string; read: JsonPathReader; least: number }[];
  fromBody: readonly BodyPlaceholder[];
  remembers: { of: FillTemplate; at: JsonPathReader | null; is: unknown } | null;
  known: FillTemplate | null;
}

/**
 * A placeholder of a template whose value comes from the message body. `words`: values by the texts in the body; if undefined, the text
 * itself is the value. `otherwise`: template of the value if the body lacks the text, or if `words` does not contain the text.
 */
export interface BodyPlaceholder {
  name: string;
  read: JsonPathReader;
  words: Readonly<Record<string, string>> | undefined;
  otherwise: FillTemplate;
}

export function compileTopics(entry: TopicDefinition, table: FamilyTable): CompiledTopic[] {
  const parts = { ...table.parts, ...entry.parts };
  const given = entry.ignored ? {} : (entry.fields ?? table.fields ?? {});
  const separate = Object.entries(given).map(([name, field]) => compileField(name, field, parts, entry));
  const fields = separate.map((field) => ({
    ...field,
    isShared: separate.some((other) => other !== field && other.path === field.path),
  }));
  const texts = [entry.topic].flat();
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
    container: containerOf(entry),
    isObject: fields.every(({ path }) => /^\$(?:\.|\[')/.test(path)),
    remembers: entry.remembers
      ? {
          of: compileTemplate(entry.remembers.of),
          at: entry.remembers.at === undefined ? null : placeOf(entry.remembers.at),
          is: entry.remembers.is,
        }
      : null,
    known: compiledOrNull(entry.known ?? entry.unknown),
  };
  const withField = { ...parts, field: fields.map(({ name }) => convertTemplateToRegExpSource(name, parts)).join('|') };
  return texts.map((text) => ({
    ...shared,
    pattern: text === '#' ? null : compilePattern(text, withField),
    hasField: text.includes('{field}'),
  }));
}

function containerOf({ at = '' }: TopicDefinition): CompiledTopic['container'] {
  const [, path] = /^(\$.+)\.\{field\}$/.exec(at) ?? [];
  return path === undefined ? null : { path, read: placeOf(path) };
}

const compiledOrNull = (template: string | undefined): FillTemplate | null =>
  template === undefined ? null : compileTemplate(template);

/**
 * Compiles the template of a channel. The values of its placeholders are converted to lower case, because the level of a topic may be in
 * capitals: `L1`.
 */
function compileChannel(template: string): FillTemplate {
  const fill = compileTemplate(template);
  return template.includes('{') ? (named) => fill(named).toLowerCase() : fill;
}

const UNSCALED = { times: 1, per: 1 };

function compileField(
  name: string,
  entry: FieldDefinition,
  parts: TopicPlaceholders,
  topic: TopicDefinition,
): Omit<CompiledField, 'isShared'> {
  const isPattern = name.includes('{');
  const isJson = (topic.payload ?? 'text') !== 'text';
  const path = entry.at ?? topic.at?.replace('{field}', () => name) ?? `$.${name}`;
  // If the table states the position of the unit in the body, the fixed unit in the table does not apply.
  const unitPath = entry.unit_at ?? topic.unit_at?.replace('{field}', () => name);
  const { times, per } = (unitPath === undefined && findUnitScale(entry.kind, entry.unit)) || UNSCALED;
  return {
    entry,
    name,
    pattern: isPattern ? compilePattern(name, parts) : null,
    native: compiledOrNull(entry.name),
    channel: compileChannel(entry.channel),
    path,
    read: isJson && !path.includes('{') ? placeOf(path) : () => undefined,
    readTime: entry.time_at === undefined ? null : placeOf(entry.time_at),
    readUnit: isJson && unitPath !== undefined ? placeOf(unitPath) : null,
    unless: (entry.unless ?? []).map(placeOf),
    where: compilePayloadConditions(entry.where),
    device: compiledOrNull(entry.device),
    scale: { times, per: per * (entry.per ?? 1) },
  };
}

/** Units whose spelling in messages differs from the spelling in tables. */
const SPELLINGS: Readonly<Record<string, string>> = { Watt: 'W', 'm³': 'm3' };

/** Returns the scale that converts a unit to the stored unit of a kind of value; undefined if the unit does not belong to the kind. */
export function findUnitScale(
  kind: FieldDefinition['kind'],
  unit: unknown,
): { times: number; per: number } | undefined {
  if (typeof unit !== 'string') return undefined;
  const word = Object.hasOwn(SPELLINGS, unit) ? SPELLINGS[unit] : unit;
  return UNIT_SCALES[kind as keyof typeof UNIT_SCALES]?.get(word ?? unit);
}

/** Whether a text is a unit of any kind of value. */
export const isKnownUnit = (unit: unknown): boolean =>
  (Object.keys(UNIT_SCALES) as FieldDefinition['kind'][]).some((kind) => findUnitScale(kind, unit) !== undefined);

function placeOf(path: string): JsonPathReader {
  const place = compileJsonPath(path);
  if (!place) throw new Error(`${path} is no path to one place: name it with "at"`);
  return place;
}
