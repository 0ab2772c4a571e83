import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { compileJsonPath } from '#src/core/json-path.ts';
import { UNIT_SCALES } from '#src/devices/mapped-quantity.ts';
import { payloadConditionsSchema } from '#src/devices/mapping.ts';

/** Matches the placeholders of names and templates: `{device}`, `{base+}`, `{base*}`, `{field}`. */
export const TEMPLATE_PLACEHOLDER = /\{([a-z_]+)([+*]?)\}/g;

const path = z.string().refine((text) => compileJsonPath(text) !== null, {
  message: 'must be a JSONPath to one value, such as $.energy.total or $.values[0]',
});
/** A JSONPath that may contain `{field}`, which stands for the name of the field. */
const template = z.string().refine((text) => compileJsonPath(text.replace('{field}', 'field')) !== null, {
  message: 'must be a JSONPath to one value, such as $.value or $.{field}[0].value',
});
/** A regular expression without capturing groups. (In the compiled pattern of a topic, each placeholder becomes a named group.) */
const pattern = z.string().refine((source) => isPattern(source), {
  message: 'must be a regular expression without capturing groups, or a list of words and their replacements',
});
const text = z.string().min(1);
const why = z.union([z.string(), z.array(z.string())]).optional();
const parts = z.record(z.string().regex(/^[a-z_]+$/), z.union([pattern, z.record(z.string(), z.string())]));

const UNITS = ['kWh', 'Wh', 'MWh', 'MJ', 'GJ', 'W', 'kW', 'm3', 'l', 'C'] as const;
const KINDS = [
  'energy_total_kwh',
  'power_w',
  'volume_total_m3',
  'temperature_c',
  'setpoint_c',
  'heating',
  'availability',
] as const;
const isState = (kind: string): boolean => kind === 'heating' || kind === 'availability';

const field = z
  .strictObject({
    why,
    name: text.optional(),
    channel: text,
    kind: z.enum(KINDS),
    unit: z.enum(UNITS).optional(),
    at: path.optional(),
    unit_at: path.optional(),
    turned: z.literal(true).optional(),
    comma: z.literal(true).optional(),
    asks: z.literal(true).optional(),
    none_below: z.number().optional(),
    whole: z.literal(true).optional(),
    words: z.record(z.string(), z.boolean()).optional(),
    time_at: path.optional(),
    unless: z.array(path).min(1).optional(),
    where: payloadConditionsSchema.optional(),
    per: z.int().min(2).optional(),
    device: z.string().min(1).optional(),
  })
  .superRefine(({ kind, unit, words, asks, none_below, whole, per }, context) => {
    const fault = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message });
    if (unit !== undefined && !fits(kind, unit)) fault('unit', `is no unit of ${kind}`);
    if (words && !isState(kind)) fault('words', 'are for heating and availability only');
    if (isState(kind) && (asks ?? none_below ?? whole ?? per) !== undefined) fault('kind', 'is no number');
  });
const fields = z.record(z.string().min(1), field);

const topic = z
  .strictObject({
    why,
    topic: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    parts: parts.optional(),
    device: z.string().min(1).optional(),
    payload: z.enum(['text', 'json', 'pairs']).optional(),
    at: template.optional(),
    unit_at: template.optional(),
    remembers: z
      .strictObject({ of: text, at: path.optional(), is: z.union([z.string(), z.number(), z.boolean()]).optional() })
      .optional(),
    known: text.optional(),
    unknown: text.optional(),
    mentions: z
      .array(z.union([text, z.array(text).min(1)]))
      .min(1)
      .optional(),
    from_body: z
      .record(
        z.string(),
        z.strictObject({ at: path, words: z.record(z.string(), z.string()).optional(), else: z.string() }),
      )
      .optional(),
    lists: z.record(path, z.int().min(0)).optional(),
    time: z.strictObject({ at: path, form: z.enum(['s', 'ms', 'iso', 'p1']).optional() }).optional(),
    fields: fields.optional(),
    ignored: z.literal(true).optional(),
  })
  .superRefine((given, context) => {
    const fault = (member: string, message: string) => context.addIssue({ code: 'custom', path: [member], message });
    if (given.ignored && (given.fields ?? given.payload ?? given.time ?? given.lists))
      fault('ignored', 'reads nothing');
    if (given.payload === 'json' || given.payload === 'pairs') return;
    for (const member of ['from_body', 'lists', 'time', 'at', 'unit_at'] as const)
      if (given[member]) fault(member, 'needs "payload": "json"');
    for (const [name, one] of Object.entries(given.fields ?? {}))
      if (one.at ?? one.unit_at ?? one.time_at ?? one.unless ?? one.where)
        fault('fields', `${name}: a place in a body needs "payload": "json"`);
  });

const table = z
  .strictObject({
    family: z.string().regex(/^[a-z0-9-]+$/),
    devices: z.string().min(1),
    why,
    sources: z.array(z.string()).min(1),
    parts: parts.optional(),
    fields: fields.optional(),
    topics: z.array(topic).min(1),
  })
  .superRefine((given, context) => {
    for (const [index, one] of given.topics.entries()) {
      const message = faultOf(one, given);
      if (message) context.addIssue({ code: 'custom', path: ['topics', index], message });
    }
  });

/** Table of a family, as parsed from its file. */
export type FamilyTable = z.infer<typeof table>;
export type TopicDefinition = FamilyTable['topics'][number];
export type FieldDefinition = z.infer<typeof field>;
export type TopicPlaceholders = z.infer<typeof parts>;

/** Returns the error in one topic entry of a table; null if the entry is valid. */
function faultOf(one: TopicDefinition, { fields: shared = {}, parts: common = {} }: FamilyTable): string | null {
  if (one.ignored) return null;
  const read = Object.entries(one.fields ?? shared);
  if (read.length === 0) return 'has neither fields nor "ignored": true';
  const topics = [one.topic].flat();
  const hasField = topics.every((text) => text.includes('{field}'));
  if (!hasField && read.some(([name]) => name.includes('{')))
    return 'has parts in the name of a field, which only {field} in a topic can match';
  if ((one.payload ?? 'text') === 'text' && !hasField && read.length > 1)
    return 'has several fields for one number: name one by {field}';
  const device = one.device ?? '{device}';
  for (const text of topics) {
    const named = new Set(['topic', ...partsOf(text), ...Object.keys(one.from_body ?? {})]);
    const known = (name: string) =>
      partsOf(name).every((part) => named.has(part) || part in { ...common, ...one.parts });
    const wrong = partsOf(device).find((part) => !named.has(part));
    if (wrong) return `has no part {${wrong}}, which its device names`;
    const unknown = read.find(
      ([name, { channel, name: shown = '', device: own = '' }]) => ![name, channel, shown, own].every(known),
    );
    if (unknown) return `names a part in ${unknown[0]} that nothing has`;
  }
  return null;
}

const partsOf = (template: string): string[] =>
  [...template.matchAll(TEMPLATE_PLACEHOLDER)].map(([, name = '']) => name);

function fits(kind: FieldDefinition['kind'], unit: string): boolean {
  if (kind === 'temperature_c' || kind === 'setpoint_c') return unit === 'C';
  return !isState(kind) && UNIT_SCALES[kind as keyof typeof UNIT_SCALES].has(unit);
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(`${source}|`).exec('')?.length === 1;
  } catch {
    return false;
  }
}

/**
 * Parses and validates a family's table, at start and in the tests. Throws an error that names the file and each invalid member.
 *
 * @param file name of the file, for the error
 * @param text content of the file
 */
export function parseFamilyTable(file: string, text: string): FamilyTable {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
  const read = table.safeParse(json);
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path: place, message }) => `${place.join('.') || 'the table'} ${message}`);
  throw new Error(`${file}: ${faults.join('; ')}`);
}

export function readFamilyTable(family: string): FamilyTable {
  const read = parseFamilyTable(
    `ingest/decoders/tables/${family}.json`,
    readFileSync(new URL(`${family}.json`, import.meta.url), 'utf8'),
  );
  if (read.family !== family) throw new Error(`ingest/decoders/tables/${family}.json: family must be ${family}`);
  return read;
}
