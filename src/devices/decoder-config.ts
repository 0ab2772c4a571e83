import { z } from 'zod';
import { mapping } from './mapping.ts';

const text = z.string().min(1).max(200);

/**
 * Settings of an owner for the decoders (`decoder_config` of a device or a gateway), for what devices do not say themselves.
 * Each member is checked by itself; unknown members are kept and ignored.
 */
export const decoderConfigMembers = {
  tz: text.describe('IANA time zone of devices that report local time without one.'),
  senml: z
    .strictObject({ topics: z.array(text).max(100).describe('MQTT topic filters on which SenML packs arrive.') })
    .describe('Where SenML is published.'),
  meter: z
    .record(
      text,
      z.strictObject({
        unit: text.optional().describe('Unit of the counts.'),
        multiplier: z.number().positive().max(1e9).optional().describe('How many of that unit one count is.'),
      }),
    )
    .describe('Meters that count, by the id of the meter.'),
  emon: z
    .record(
      text,
      z.strictObject({
        pulses_per_kwh: z.number().positive().max(1e9).optional().describe('How many pulses make a kWh.'),
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
          .describe('What the quantity counts as.'),
        unit: z
          .enum(['Wh', 'kWh', 'MWh', 'W', 'kW', 'm3', 'l'])
          .optional()
          .describe('Its unit. Default: kWh. m³ and litres are for gas, heat and water.'),
      }),
    )
    .describe('Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone.'),
  zigbee2mqtt: z
    .strictObject({
      output: z
        .enum(['json', 'attribute', 'attribute_and_json'])
        .optional()
        .describe('How it publishes (its setting `output`).'),
      devices: z
        .array(text)
        .max(2_000)
        .optional()
        .describe('With `attribute`: the names of its devices, which may contain slashes.'),
    })
    .describe('How Zigbee2MQTT publishes.'),
  zwavejs: z
    .strictObject({
      temperature_unit: z
        .enum(['C', 'F'])
        .optional()
        .describe('Scale of its temperatures, where a message does not say.'),
    })
    .describe('How Z-Wave JS UI publishes.'),
  mapping,
};

/** What is set, as far as it can be understood. */
export type DecoderConfig = {
  [name in keyof typeof decoderConfigMembers]?: z.output<(typeof decoderConfigMembers)[name]>;
};

/** A `decoder_config` as its owner wrote it, as far as it can be understood; a member that cannot is left out. */
export function readDecoderConfig(config: unknown): DecoderConfig {
  if (typeof config !== 'object' || config === null) return {};
  const known = Object.entries(decoderConfigMembers).flatMap(([name, member]) => {
    const parsed = member.safeParse((config as Record<string, unknown>)[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  return Object.fromEntries(known);
}
