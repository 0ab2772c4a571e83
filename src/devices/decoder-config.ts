import { z } from 'zod';
import { createUnprocessableError } from '#src/core/errors.ts';
import { isStorableText, UNSTORABLE_TEXT_MESSAGE } from '#src/core/storable-text.ts';
import type { Database } from '#src/database/connect.ts';
import {
  canPatternsMatchSameDevice,
  getDeviceNamePattern,
  isCommandTopic,
  type MappingEntry,
  mappingSchema,
} from './mapping.ts';

const text = z.string().min(1).max(200);

/**
 * The owner's settings for decoders (`decoder_config` of a device or gateway), for facts that devices do not report. Unknown members are
 * stored and ignored.
 */
export const decoderConfigSchemas = {
  tz: text.describe('IANA time zone of devices that report local time without one.'),
  senml: z
    .strictObject({ topics: z.array(text).max(100).describe('MQTT topic filters on which SenML packs arrive.') })
    .describe('Settings for SenML.'),
  meter: z
    .record(
      text,
      z.strictObject({
        unit: text.optional().describe('Unit of the counts.'),
        multiplier: z.number().positive().max(1e9).optional().describe('Number of units for which one count stands.'),
      }),
    )
    .describe('Settings of counting meters, by the id of the meter.'),
  emon: z
    .record(
      text,
      z.strictObject({
        pulses_per_kwh: z.number().positive().max(1e9).optional().describe('Number of pulses per kWh.'),
      }),
    )
    .describe('Pulse counters of emon nodes, by `node/name`.'),
  tasmota: z
    .record(
      text,
      z.strictObject({
        counts_as: z
          .string()
          .regex(/^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|ignored)$/)
          .describe('Role of the quantity.'),
        unit: z
          .enum(['Wh', 'kWh', 'MWh', 'W', 'kW', 'm3', 'l'])
          .optional()
          .describe('Unit of the quantity. Default: kWh. m³ and litres are for gas, heat and water.'),
      }),
    )
    .describe('Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone.'),
  zigbee2mqtt: z
    .strictObject({
      output: z
        .enum(['json', 'attribute', 'attribute_and_json'])
        .optional()
        .describe('Format of the messages (the setting `output` of Zigbee2MQTT).'),
      devices: z
        .array(text)
        .max(2_000)
        .optional()
        .describe('With `attribute`: the names of the devices, which may contain slashes.'),
    })
    .describe('Settings of Zigbee2MQTT.'),
  zwavejs: z
    .strictObject({
      temperature_unit: z.enum(['C', 'F']).optional().describe('Temperature scale, if a message does not contain it.'),
    })
    .describe('Settings of Z-Wave JS UI.'),
  mapping: mappingSchema,
};

export type DecoderConfig = {
  [name in keyof typeof decoderConfigSchemas]?: z.output<(typeof decoderConfigSchemas)[name]>;
};

/** Parses a `decoder_config` as its owner wrote it. Omits invalid members. */
export function readDecoderConfig(config: unknown): DecoderConfig {
  if (typeof config !== 'object' || config === null) return {};
  const known = Object.entries(decoderConfigSchemas).flatMap(([name, member]) => {
    const parsed = member.safeParse((config as Record<string, unknown>)[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  return Object.fromEntries(known);
}

/** A validation error of a `decoder_config`: the path to the invalid value, and the message. */
interface Unstorable {
  path: PropertyKey[];
  message: string;
}

/**
 * Returns errors of a new `decoder_config` whose form is valid: texts that PostgreSQL cannot store, and mappings that cannot match any
 * message.
 */
export function findDecoderConfigErrors(config: Readonly<Record<string, unknown>>): Unstorable[] {
  return [...unstorableTexts(config, []), ...unreadMappings(config.mapping)];
}

/**
 * Returns an error for each text in a value that PostgreSQL cannot store. If such a text is the name of a member, the error contains the
 * path of the object with this member.
 */
function unstorableTexts(value: unknown, path: PropertyKey[]): Unstorable[] {
  if (typeof value === 'string') return isStorableText(value) ? [] : [{ path, message: UNSTORABLE_TEXT_MESSAGE }];
  if (Array.isArray(value)) return value.flatMap((one, index) => unstorableTexts(one, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    isStorableText(name)
      ? unstorableTexts(one, [...path, name])
      : [{ path, message: `a name in it ${UNSTORABLE_TEXT_MESSAGE}` }],
  );
}

function unreadMappings(mapping: unknown): Unstorable[] {
  if (!Array.isArray(mapping)) return [];
  return mapping.flatMap((one, index) =>
    typeof one?.topic === 'string' && isCommandTopic(one.topic)
      ? [
          {
            path: ['mapping', index, 'topic'],
            message:
              'matches commands or requests to a device (…/set, …/get, …/command, cmnd/…), which contain no measurements: nothing is read from them. Name the topic on which the device publishes its state',
          },
        ]
      : [],
  );
}

/**
 * Returns an error, with a remedy, for each entry of a device's own mapping that names another device. That device is not paired, so the
 * values would be lost.
 */
export const findMappingsOfOtherDevices = (
  mapped: readonly MappingEntry[],
  nativeId: string,
): { field: string; message: string }[] =>
  mapped.flatMap((one, index) =>
    canPatternsMatchSameDevice(getDeviceNamePattern(one), nativeId)
      ? []
      : {
          field: `decoder_config.mapping.${index}.device`,
          message: `is ${getDeviceNamePattern(one)}, but this device is ${nativeId}: the entry would read nothing from it. ${
            one.topic.includes('+')
              ? 'Omit device, or choose a name in which + gives this id'
              : `Set "device": "${nativeId}"`
          }`,
        },
  );

/** Throws 422 if the new `decoder_config` of a device behind a gateway has mapping entries that name another device. */
export async function assertMappingsOfDevice(db: Database, deviceId: string, config: unknown): Promise<void> {
  const read = mappingSchema.safeParse((config as { mapping?: unknown } | null)?.mapping);
  if (!read.success) return;
  const reported = await db
    .selectFrom('discovered_devices')
    .select('native_id')
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  const [first, ...rest] = reported ? findMappingsOfOtherDevices(read.data, reported.native_id) : [];
  if (first) throw createUnprocessableError(first, ...rest);
}
