import { z } from 'zod';

const text = z.string().min(1).max(200);

/**
 * Settings of an owner for the decoders (`decoder_config` of a device or a gateway), for what devices do not say themselves.
 * Each member is checked by itself; unknown members are kept and ignored.
 */
export const decoderConfigMembers = {
  /** IANA zone of devices that tell local time without one. */
  tz: text,
  /** MQTT topic filters on which SenML packs come. */
  senml: z.strictObject({ topics: z.array(text).max(100) }),
  /** By a meter's id: the unit of its counts, and what one count is of it. */
  meter: z.record(
    text,
    z.strictObject({ unit: text.optional(), multiplier: z.number().positive().max(1e9).optional() }),
  ),
  /** By `node/name`: how many pulses a kWh has. */
  emon: z.record(text, z.strictObject({ pulses_per_kwh: z.number().positive().max(1e9).optional() })),
  /** By `prefix.name` of a meter that a script reads, or by the name alone: what it is, and its unit (kWh; m3 and l of gas, heat and water). */
  tasmota: z.record(
    text,
    z.strictObject({
      counts_as: z.string().regex(/^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|gas|heat|water|ignored)$/),
      unit: z.enum(['Wh', 'kWh', 'MWh', 'W', 'kW', 'm3', 'l']).optional(),
    }),
  ),
  /** How Zigbee2MQTT publishes; with `attribute` the names of its devices, which may hold slashes. */
  zigbee2mqtt: z.strictObject({
    output: z.enum(['json', 'attribute', 'attribute_and_json']).optional(),
    devices: z.array(text).max(2_000).optional(),
  }),
};
