import { z } from 'zod';
import { compileJsonPath, MAX_JSON_PATH_CHARACTERS } from '#src/core/json-path.ts';
import { CIRCUIT_PATTERN, MAPPED_UNITS, parseMappedQuantity, QUANTITY_MEANING_PATTERN } from './mapped-quantity.ts';

/** Maximum length of a topic filter in characters, because it becomes part of the name of a quantity. */
const MAX_TOPIC_CHARACTERS = 120;
/** Maximum number of entries in a mapping, because each message is compared with all of them. */
const MAX_MAPPINGS = 100;
/** Maximum number of conditions on the payload in one entry of a mapping. */
const MAX_CONDITIONS = 4;
/** A valid topic filter. At least one level is not a wildcard, and `#` may only be the last level. */
const FILTER = /^(?=(?:[^/]*\/)*[^/+#]+(?:\/|$))(?:(?:\+|[^/+#\p{Cc}]*)\/)*(?:\+|#|[^/+#\p{Cc}]*)$/u;

/** Whether a topic contains commands or requests to a device instead of measurements. */
export const isCommandTopic = (topic: string): boolean => /^cmnd\/|\/(?:set|get|command)$/.test(topic);

const path = z
  .string()
  .max(MAX_JSON_PATH_CHARACTERS)
  .refine((text) => compileJsonPath(text) !== null, {
    message: 'must be a JSONPath to one value, such as $.energy.total or $.values[0]',
  });

/** Conditions on a payload: a JSONPath, and the value that must be there: `{"$.idx": 51}`. */
export const payloadConditionsSchema = z
  .record(path, z.union([z.string().max(MAX_JSON_PATH_CHARACTERS), z.number(), z.boolean()]))
  .refine((all) => Object.keys(all).length > 0 && Object.keys(all).length <= MAX_CONDITIONS, {
    message: `must have 1 to ${MAX_CONDITIONS} conditions`,
  });
export type PayloadConditions = z.output<typeof payloadConditionsSchema>;

const entry = z
  .strictObject({
    topic: z
      .string()
      .min(1)
      .max(MAX_TOPIC_CHARACTERS)
      .regex(FILTER, 'must be an MQTT topic or filter with at least one word, such as home/+/energy')
      .describe('MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device.'),
    device: z
      .string()
      .regex(/^[^+\p{Cc}]*\+?[^+\p{Cc}]*$/u, 'must have no control characters, and `+` once at most')
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard.',
      ),
    path: path
      .optional()
      .describe(
        'JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number.',
      ),
    where: payloadConditionsSchema
      .optional()
      .describe(
        'Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish.',
      ),
    unit: z.enum(MAPPED_UNITS).describe('Unit of the number.'),
    scale: z
      .number()
      .min(-1e9)
      .max(1e9)
      .refine((value) => Math.abs(value) >= 1e-9, { message: 'must not be 0' })
      .optional()
      .describe('Factor from the number to `unit`. Negative: a power with the opposite sign.'),
    meaning: z
      .string()
      .regex(
        QUANTITY_MEANING_PATTERN,
        'must be import, export, a part of them (import/t1, export/l2), production, power, gas, heat, water, temperature or setpoint',
      )
      .describe(
        'Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces.',
      ),
    circuit: z
      .string()
      .regex(CIRCUIT_PATTERN, 'must be a word of a-z, 0-9, _ and - without another meaning, such as pump')
      .optional()
      .describe('Word that distinguishes two quantities of one device with the same meaning.'),
    time_path: path
      .optional()
      .describe(
        'JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used.',
      ),
    time_unit: z
      .enum(['s', 'ms', 'iso'])
      .optional()
      .describe(
        'Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number.',
      ),
  })
  .superRefine((value, context) => {
    const quantity = parseMappedQuantity(value);
    if (typeof quantity === 'string') context.addIssue({ code: 'custom', path: ['unit'], message: quantity });
    if (value.device?.includes('+') && !value.topic.includes('+'))
      context.addIssue({ code: 'custom', path: ['device'], message: 'has a `+`, but the topic has none' });
    // If all topics had the same device name, several registers would be counted as one.
    if (value.topic.includes('+') && value.device !== undefined && !value.device.includes('+'))
      context.addIssue({
        code: 'custom',
        path: ['device'],
        message:
          'must have a `+`, because the topic has one: otherwise all its devices would count as one. Example: boiler-+',
      });
    const isNamedByTopic = value.device === undefined && !value.topic.includes('+');
    if (value.topic.endsWith('#') && value.path === undefined && !isNamedByTopic)
      context.addIssue({
        code: 'custom',
        path: ['topic'],
        message:
          'must not end in # here: each plain number on the topics below would count as the same one. Name the topic of one',
      });
    if (value.time_path !== undefined && value.path === undefined)
      context.addIssue({ code: 'custom', path: ['time_path'], message: 'needs a path: a plain number has no time' });
    if (value.where !== undefined && value.path === undefined)
      context.addIssue({
        code: 'custom',
        path: ['where'],
        message: 'needs a path: a plain number has no other members',
      });
    if (value.time_unit !== undefined && value.time_path === undefined)
      context.addIssue({ code: 'custom', path: ['time_unit'], message: 'needs a time_path' });
  });

/** A number in the messages on a topic, with the meaning that its owner has set. */
export type MappingEntry = z.output<typeof entry>;

/** `decoder_config.mapping`: describes numbers in messages that no device family reads. */
export const mappingSchema = z
  .array(entry)
  .max(MAX_MAPPINGS)
  .superRefine((all, context) => {
    for (const [index, one] of all.entries()) {
      const clash = all.slice(0, index).flatMap((before, other) => clashOf(before, one, other))[0];
      if (clash !== undefined) context.addIssue({ code: 'custom', path: [index, 'device'], message: clash });
    }
  })
  .describe(
    'Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics.',
  );

/** Returns the name of the device of a mapping entry. A `+` in it stands for a part of the topic. */
export const getDeviceNamePattern = ({ device, topic }: MappingEntry): string =>
  device ?? (topic.includes('+') ? '+' : topic.replace('#', '+'));

const nameOf = ({ topic, path = '' }: MappingEntry): string => `${topic} ${path}`.trim();

/** Returns an error text if two mapped devices could get the same name from different topics; otherwise an empty text. */
function causeOf(one: MappingEntry, other: MappingEntry): string {
  const named = [one, other].map((entry) => ({ topic: entry.topic, device: getDeviceNamePattern(entry) }));
  if (one.topic === other.topic || !named.some(({ device }) => device.includes('+'))) return '';
  const called = named.map(({ topic, device }) =>
    device.includes('+') ? `${topic.replace(/[+#]/, 'x')} is ${device.replace('+', 'x')}` : `${topic} is ${device}`,
  );
  return `, because a device is called what the wildcard stands for (${called.join(', ')})`;
}

/** Returns a list with one error text if two entries of a mapping conflict, otherwise an empty list. `index`: position of the first entry. */
function clashOf(one: MappingEntry, other: MappingEntry, index: number): string[] {
  if (!canPatternsMatchSameDevice(getDeviceNamePattern(one), getDeviceNamePattern(other))) return [];
  const [first, second] = [parseMappedQuantity(one), parseMappedQuantity(other)];
  if (typeof first === 'string' || typeof second === 'string') return [];
  if (first.channel === second.channel && first.kind === second.kind)
    return [
      `may be the same number of one device as entry ${index} (${nameOf(one)})${causeOf(one, other)}: two registers would count as one. Name another device, such as garage-+, or a circuit`,
    ];
  const isElectric = ({ meaning }: MappingEntry) => /^(?:import|export|power|production)/.test(meaning);
  if (isElectric(one) && isElectric(other) && (one.meaning === 'production') !== (other.meaning === 'production'))
    return [
      `may be the device of entry ${index} (${nameOf(one)}): a device that produces needs a separate name. Name another device, such as roof-+`,
    ];
  return [];
}

/** Whether the name of one device can match both patterns, each with at most one wildcard. */
export function canPatternsMatchSameDevice(one: string, other: string): boolean {
  const [start = '', end] = one.split('+');
  const [otherStart = '', otherEnd] = other.split('+');
  if (end === undefined && otherEnd === undefined) return one === other;
  const starts = start.startsWith(otherStart) || otherStart.startsWith(start);
  const [its, others] = [end ?? start, otherEnd ?? otherStart];
  return starts && (its.endsWith(others) || others.endsWith(its));
}
