import { z } from 'zod';
import { idField, textField, userIdField, zoneField } from '#src/api/fields.ts';
import { createdAtSchema, deviceIdSchema, instantSchema, pickMembers, userIdSchema } from '#src/api/shapes.ts';
import { usageSchema } from '#src/api/v1/energy-insights/shape.ts';
import { decoderConfigSchema, storedDecoderConfigSchema } from '#src/api/v1/gateways/shape.ts';
import { DEVICE_MANAGERS, DEVICE_STATUSES, PLACEMENTS } from '#src/database/enums.ts';
import { COUNTS_AS_PATTERN } from '#src/devices/channel-name.ts';
import type { DiscoveredDevice } from '#src/devices/gateways.ts';
import { ATTENTION_KINDS, type Device, type DeviceDetails } from '#src/devices/store.ts';

/** Descriptions of members that occur in requests and in responses. */
const MEANING = {
  type: 'Type of the device, in the words of its owner, such as `electricity_meter`.',
  location: 'Location of the device, in the words of its owner.',
  limit_kw:
    'Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it.',
  register_max_kwh: 'Value at which the register restarts at 0, in kWh. Null: the register never restarts.',
  max_gap_minutes: 'Longest silence over which power readings are integrated, in minutes.',
  timezone: 'IANA time zone of a device that reports local time. Null: the time zone of its owner.',
  placement: 'Position of the device in its home. `excluded`: the device does not count.',
  upstream: 'Id of the upstream device, whose measurement includes this device. Null: none.',
  external_id: 'Name of the device at a utility or an administrator: a serial or asset number. Unique in an account.',
  certificate_sha256:
    'SHA-256 of the client certificate with which the device logs in, in hex. Null: none is registered. If the broker accepts certificates, one with the device’s id as its name is then valid.',
  managed_by:
    'Manager of the device. `owner`: the account that owns it. `utility`: the utility that paired it for the account, or to whose batch it belongs; the owner can then change only the `location` (403).',
  native_name: 'The device’s own name of the quantity.',
  counts_as:
    'Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`.',
};

const type = textField(64).describe(MEANING.type);
const location = textField(200).describe(MEANING.location);
const limit_kw = z.number().positive().max(1_000_000).describe(MEANING.limit_kw);
const register_max_kwh = z.number().positive().max(9_000_000_000);
const max_gap_minutes = z.number().positive().max(1_440).describe(MEANING.max_gap_minutes);
const placement = z.enum(PLACEMENTS).describe(MEANING.placement);
const external_id = textField(200).describe(MEANING.external_id);
/** A certificate's fingerprint in lower-case hexadecimal digits. Requests may also use the notation of OpenSSL, with colons. */
const certificate_sha256 = z
  .string()
  .transform((written) => written.replaceAll(':', '').toLowerCase())
  .pipe(
    z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex, such as openssl x509 -fingerprint -sha256 prints'),
  );
const counts_as = z
  .string()
  .regex(
    COUNTS_AS_PATTERN,
    'must be import, export, a part such as import/t1, gas, heat, water, production, charged, discharged or ignored',
  );
/** The owner's settings for each of the device's quantities. Null removes a setting. */
const channels = z
  .array(
    z.strictObject({
      native_name: textField(300).describe(MEANING.native_name),
      counts_as: counts_as.nullable().optional().describe(`${MEANING.counts_as} Null removes the owner’s setting.`),
      placement: placement
        .nullable()
        .optional()
        .describe('Position of the measurement in the home. Null: the position of the device.'),
    }),
  )
  .max(200)
  .describe('Settings of the device’s quantities. Quantities that are not listed do not change.');

export const newDeviceSchema = z.strictObject({
  user_id: userIdField.optional(),
  type,
  location,
  limit_kw: limit_kw.optional(),
  register_max_kwh: register_max_kwh
    .optional()
    .describe('Value at which the register restarts at 0, in kWh. Default: the register never restarts.'),
  max_gap_minutes: max_gap_minutes.optional(),
  timezone: zoneField
    .optional()
    .describe('IANA time zone of a device that reports local time. Default: the time zone of its owner.'),
  placement: placement
    .optional()
    .describe(`${MEANING.placement} Default: a guess from the device’s type and messages.`),
  upstream_device_id: idField
    .optional()
    .describe('Id of the upstream device, whose measurement includes this device. Default: none.'),
  channels: channels.optional(),
  external_id: external_id.optional(),
  discovery_id: idField
    .optional()
    .describe('Id of a discovered device to pair, which keeps using the credentials of its gateway.'),
});
export const devicePatchSchema = z
  .strictObject({
    type,
    location,
    limit_kw,
    register_max_kwh: register_max_kwh.nullable().describe(MEANING.register_max_kwh),
    max_gap_minutes,
    timezone: zoneField.nullable().describe(MEANING.timezone),
    decoder_config: decoderConfigSchema,
    placement,
    upstream_device_id: idField.nullable().describe(MEANING.upstream),
    channels,
    external_id: external_id.nullable().describe(`${MEANING.external_id} Null removes it.`),
    certificate_sha256: certificate_sha256
      .nullable()
      .describe(`${MEANING.certificate_sha256} Only utilities and administrators can register it (403).`),
    managed_by: z
      .enum(DEVICE_MANAGERS)
      .describe(
        `${MEANING.managed_by} A utility can hand a device over (\`owner\`); an administrator can set either value.`,
      ),
  })
  .partial();

const members = {
  device_id: deviceIdSchema,
  type: z.string().describe(MEANING.type),
  location: z.string().describe(MEANING.location),
  status: z
    .enum(DEVICE_STATUSES)
    .describe(
      '`faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence.',
    ),
  last_seen_at: instantSchema.nullable().describe('Time at which the last valid reading was received. Null: never.'),
  placement,
  upstream_device_id: z.string().nullable().describe(MEANING.upstream),
  attention: z.array(z.enum(ATTENTION_KINDS)).describe('Open problems that the owner should check. Empty: none.'),
};
export const deviceSchema = z.strictObject(members).meta({ id: 'Device' });
export const deviceDetailsSchema = z
  .strictObject({
    ...members,
    user_id: userIdSchema,
    limit_kw: z.number().describe(MEANING.limit_kw),
    register_max_kwh: z.number().nullable().describe(MEANING.register_max_kwh),
    max_gap_minutes: z.number().describe(MEANING.max_gap_minutes),
    timezone: z.string().nullable().describe(MEANING.timezone),
    decoder_config: storedDecoderConfigSchema,
    channels: z
      .array(
        z.strictObject({
          native_name: z.string().describe(MEANING.native_name),
          unit: z.string().nullable().describe('Unit of `last_value`. Null: the device does not report it.'),
          last_value: z.number().nullable().describe('Last value of the quantity. Null: none.'),
          last_at: instantSchema.nullable().describe('Time of the last value. Null: none.'),
          counts_as: z.string().nullable().describe(`${MEANING.counts_as} Null: unknown; the quantity does not count.`),
          asked: z
            .boolean()
            .describe(
              'Whether the owner should set `counts_as`, because the name of the quantity is not recognised. If `counts_as` is nevertheless set, it is the role that the quantity had before unrecognised names stopped counting.',
            ),
          placement: placement
            .nullable()
            .describe('Position of the measurement in the home. Null: the position of the device.'),
          counted: z
            .boolean()
            .describe(
              'Whether the energy of the quantity counts. False for a part of a counted total, for a power next to a register, and for an unknown quantity.',
            ),
        }),
      )
      .describe('The quantities that the device reports.'),
    is_computed: z
      .boolean()
      .describe(
        'Whether past consumption has been recomputed with these settings: within seconds of a change, or within minutes for months of frequent readings. Until then, the new settings apply only to the older part of the past, which is recomputed first.',
      ),
    external_id: z.string().nullable().describe(`${MEANING.external_id} Null: none.`),
    certificate_sha256: z.string().nullable().describe(MEANING.certificate_sha256),
    managed_by: z.enum(DEVICE_MANAGERS).describe(MEANING.managed_by),
    created_at: createdAtSchema,
  })
  .meta({ id: 'DeviceDetails' });
/**
 * Response to pairing a device. Only this response contains the password. A discovered device has none, because it uses the
 * credentials of its gateway.
 */
export const pairedDeviceSchema = z
  .strictObject({
    ...members,
    mqtt: z
      .strictObject({
        username: z.string().describe('MQTT user name.'),
        password: z.string().describe('MQTT password. It is not shown again.'),
        topic: z.string().describe('Topic to which the device publishes its readings.'),
      })
      .optional()
      .describe('MQTT credentials of the device. Absent with `discovery_id`, because its gateway signs in.'),
  })
  .meta({ id: 'PairedDevice' });

export const deviceUsageSchema = z
  .strictObject({
    device_id: deviceIdSchema,
    data: z
      .array(
        usageSchema.extend({
          kwh_used: z
            .number()
            .nullable()
            .describe('Energy imported by the device, in kWh. Null: the device reports no energy.'),
          export_kwh: z
            .number()
            .nullable()
            .optional()
            .describe('Energy exported by the device, in kWh. Null: unknown.'),
          estimate: z
            .enum(['like_days', 'line'])
            .nullable()
            .optional()
            .describe(
              'With `gaps=like_days`: how the estimated energy of the row was found. `like_days`: at least a part by the load profile of similar days. `line`: all of it was spread evenly. Null: nothing in it is estimated.',
            ),
          temperature_c: z
            .strictObject({
              mean: z.number().describe('Mean, weighted by time, in °C.'),
              min: z.number().describe('Lowest, in °C.'),
              max: z.number().describe('Highest, in °C.'),
            })
            .nullable()
            .optional()
            .describe('Room temperature measured by a thermostat. Null: unknown.'),
          setpoint_c: z
            .number()
            .nullable()
            .optional()
            .describe('Mean of the set temperature, weighted by time, in °C. Null: unknown.'),
          heating_minutes: z
            .number()
            .nullable()
            .optional()
            .describe('Time during which the thermostat was heating, in minutes. Null: unknown.'),
        }),
      )
      .describe('The rows, oldest first.'),
  })
  .meta({ id: 'DeviceUsage' });

export const discoveredDeviceSchema = z
  .strictObject({
    discovery_id: z.string().describe('Id for pairing the device: `discovery_id` of `POST /v1/devices`.'),
    gateway_id: z.string().describe('Id of the gateway through which the device was discovered.'),
    family: z.string().describe('Family of the device’s messages, such as `tasmota`.'),
    native_id: z.string().describe('The device’s own id.'),
    channels: z.array(z.string()).describe('Names of the device’s channels.'),
    quantities: z
      .array(
        z.strictObject({
          channel: z.string().describe('Name of the channel.'),
          kind: z.string().describe('Measured quantity with its unit, such as `power_w`.'),
          counts: z
            .enum(['import', 'export'])
            .nullable()
            .describe('Role of the quantity after pairing. Null: not counted.'),
        }),
      )
      .describe('The quantities of the device’s channels.'),
    awaits: z
      .string()
      .nullable()
      .describe(
        'Topic filter, below the gateway’s prefix, for announced values of which none has arrived yet. Null: values have arrived.',
      ),
    first_seen_at: instantSchema.describe('Time of the first message.'),
    last_seen_at: instantSchema.describe('Time of the last message.'),
  })
  .meta({ id: 'DiscoveredDevice' });

/** Converts a stored device to an item of a list. */
export const deviceToResponse = (row: Device): z.output<typeof deviceSchema> => pickMembers(deviceSchema, row);

/** Converts a stored device with its settings to a response about a single device. */
export const deviceDetailsToResponse = (row: DeviceDetails): z.output<typeof deviceDetailsSchema> => ({
  ...pickMembers(deviceDetailsSchema, row),
  channels: row.channels.map((one) => ({ ...one, last_at: one.last_at?.toISOString() ?? null })),
  certificate_sha256: row.certificate_sha256?.toString('hex') ?? null,
});

/** Converts a discovered device to an item in the list of its gateway. */
export const discoveredDeviceToResponse = (row: DiscoveredDevice): z.output<typeof discoveredDeviceSchema> =>
  pickMembers(discoveredDeviceSchema, row);
