import { z } from 'zod';
import { idField, textField, userIdField, zoneField } from '#src/api/fields.ts';
import { createdAt, deviceId, instantShape, userId } from '#src/api/shapes.ts';
import { usage } from '#src/api/v1/energy-insights/shape.ts';
import { decoderConfig, keptDecoderConfig } from '#src/api/v1/gateways/shape.ts';
import { DEVICE_STATUSES, MANAGERS, PLACEMENTS } from '#src/database/enums.ts';
import { COUNTS_AS_PATTERN } from '#src/devices/channel-name.ts';
import type { DiscoveredDevice } from '#src/devices/gateways.ts';
import { ATTENTION_KINDS, type Device, type DeviceDetails } from '#src/devices/store.ts';

/** Descriptions of the members, in requests and in responses. */
const MEANING = {
  type: 'What kind of device it is, in the words of its owner, such as `electricity_meter`.',
  location: 'Where the device is, in the words of its owner.',
  limit_kw: 'Highest plausible load, in kW. A register that rises faster is held until later readings confirm it.',
  register_max_kwh: 'Value at which the register starts again at 0, in kWh. Null: it never does.',
  max_gap_minutes: 'Longest silence that power readings are integrated over, in minutes.',
  timezone: 'IANA time zone of a device that reports local time. Null: that of its owner.',
  placement: 'Where the device sits in its home. `excluded`: it does not count.',
  upstream: 'Id of the device whose measurement includes this one. Null: none.',
  external_id: 'What a utility or an administrator calls the device: a serial or asset number. Once in an account.',
  certificate_sha256:
    'SHA-256 of the client certificate that the device logs in with, in hex. Null: a certificate that has its id as name, where the broker takes certificates.',
  managed_by:
    'Who manages the device: its `owner`, or the `utility` that paired it for the account or whose batch it claimed. Of the latter its owner changes the `location` alone (403).',
  native_name: 'What the device calls the quantity.',
  counts_as:
    'What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`.',
};

const type = textField(64).describe(MEANING.type);
const location = textField(200).describe(MEANING.location);
const limit_kw = z.number().positive().max(1_000_000).describe(MEANING.limit_kw);
const register_max_kwh = z.number().positive().max(9_000_000_000);
const max_gap_minutes = z.number().positive().max(1_440).describe(MEANING.max_gap_minutes);
const placement = z.enum(PLACEMENTS).describe(MEANING.placement);
const external_id = textField(200).describe(MEANING.external_id);
/** Also accepted as OpenSSL prints it: with colons, in either case. */
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
    'must be import, export, a part as import/t1, gas, heat, water, production, charged, discharged or ignored',
  );
/** The owner's settings for quantities, by name. Null removes a setting. */
const channels = z
  .array(
    z.strictObject({
      native_name: textField(300).describe(MEANING.native_name),
      counts_as: counts_as.nullable().optional().describe(`${MEANING.counts_as} Null takes back what was said.`),
      placement: placement.nullable().optional().describe('Where the quantity is measured. Null: where its device is.'),
    }),
  )
  .max(200)
  .describe('What quantities of the device count as. Those that are not named stay as they are.');

export const newDevice = z.strictObject({
  user_id: userIdField.optional(),
  type,
  location,
  limit_kw: limit_kw.optional(),
  register_max_kwh: register_max_kwh
    .optional()
    .describe('Value at which the register starts again at 0, in kWh. Default: it never does.'),
  max_gap_minutes: max_gap_minutes.optional(),
  timezone: zoneField
    .optional()
    .describe('IANA time zone of a device that reports local time. Default: that of its owner.'),
  placement: placement.optional().describe(`${MEANING.placement} Default: a guess from what it is.`),
  upstream_device_id: idField
    .optional()
    .describe('Id of the device whose measurement includes this one. Default: none.'),
  channels: channels.optional(),
  external_id: external_id.optional(),
  discovery_id: idField
    .optional()
    .describe('Pairs this discovered device, which keeps the credentials of its gateway.'),
});
export const devicePatch = z
  .strictObject({
    type,
    location,
    limit_kw,
    register_max_kwh: register_max_kwh.nullable().describe(MEANING.register_max_kwh),
    max_gap_minutes,
    timezone: zoneField.nullable().describe(MEANING.timezone),
    decoder_config: decoderConfig,
    placement,
    upstream_device_id: idField.nullable().describe(MEANING.upstream),
    channels,
    external_id: external_id.nullable().describe(`${MEANING.external_id} Null removes it.`),
    certificate_sha256: certificate_sha256
      .nullable()
      .describe(`${MEANING.certificate_sha256} Registered by utilities and administrators alone (403).`),
    managed_by: z
      .enum(MANAGERS)
      .describe(`${MEANING.managed_by} A utility can hand a device over (\`owner\`), an administrator set either.`),
  })
  .partial();

const members = {
  device_id: deviceId,
  type: z.string().describe(MEANING.type),
  location: z.string().describe(MEANING.location),
  status: z
    .enum(DEVICE_STATUSES)
    .describe(
      '`inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected.',
    ),
  last_seen_at: instantShape.nullable().describe('When its last valid reading was received. Null: never.'),
  placement,
  upstream_device_id: z.string().nullable().describe(MEANING.upstream),
  attention: z.array(z.enum(ATTENTION_KINDS)).describe('What its owner should look at. Empty: nothing.'),
};
export const device = z.strictObject(members).meta({ id: 'Device' });
export const deviceDetails = z
  .strictObject({
    ...members,
    user_id: userId,
    limit_kw: z.number().describe(MEANING.limit_kw),
    register_max_kwh: z.number().nullable().describe(MEANING.register_max_kwh),
    max_gap_minutes: z.number().describe(MEANING.max_gap_minutes),
    timezone: z.string().nullable().describe(MEANING.timezone),
    decoder_config: keptDecoderConfig,
    channels: z
      .array(
        z.strictObject({
          native_name: z.string().describe(MEANING.native_name),
          unit: z.string().nullable().describe('Unit of `last_value`. Null: the device does not say.'),
          last_value: z.number().nullable().describe('The last value. Null: there is none.'),
          last_at: instantShape.nullable().describe('When that value was measured. Null: there is none.'),
          counts_as: z.string().nullable().describe(`${MEANING.counts_as} Null: not known, and not counted.`),
          asked: z
            .boolean()
            .describe(
              'Whether its owner should say what it counts as: its name says nothing. With a `counts_as` it counts as it did before such names stopped counting.',
            ),
          placement: placement.nullable().describe('Where the quantity is measured. Null: where its device is.'),
          counted: z
            .boolean()
            .describe(
              'Whether its energy counts. False for a part of a total that counts, for a power next to a register, and if it is not known what the quantity is.',
            ),
        }),
      )
      .describe('The quantities that the device reports.'),
    is_computed: z
      .boolean()
      .describe(
        'Whether what it consumed is computed with these settings by now: within seconds of a change, of months of frequent readings within minutes. Until then its older past is computed with them, and what is later as before.',
      ),
    external_id: z.string().nullable().describe(`${MEANING.external_id} Null: it has none.`),
    certificate_sha256: z.string().nullable().describe(MEANING.certificate_sha256),
    managed_by: z.enum(MANAGERS).describe(MEANING.managed_by),
    created_at: createdAt,
  })
  .meta({ id: 'DeviceDetails' });
/** The password is only returned once. A discovered device uses the credentials of its gateway. */
export const pairedDevice = z
  .strictObject({
    ...members,
    mqtt: z
      .strictObject({
        username: z.string().describe('MQTT user name.'),
        password: z.string().describe('MQTT password. It is not shown again.'),
        topic: z.string().describe('Topic that the device publishes its readings on.'),
      })
      .optional()
      .describe('How the device signs in to the broker. Not with `discovery_id`: its gateway signs in.'),
  })
  .meta({ id: 'PairedDevice' });

export const deviceUsage = z
  .strictObject({
    device_id: deviceId,
    data: z
      .array(
        usage.extend({
          kwh_used: z.number().nullable().describe('Import of the device, in kWh. Null: it reports no energy.'),
          export_kwh: z.number().nullable().optional().describe('Export of the device, in kWh. Null: not known.'),
          estimate: z
            .enum(['like_days', 'line'])
            .nullable()
            .optional()
            .describe(
              'With `gaps=like_days`: how the estimated energy of the row was found. `like_days`: of a long silence by the shape of like days, at least in part. `line`: all of it was spread evenly. Null: nothing in it is estimated.',
            ),
          temperature_c: z
            .strictObject({
              mean: z.number().describe('Mean, weighted by time, in °C.'),
              min: z.number().describe('Lowest, in °C.'),
              max: z.number().describe('Highest, in °C.'),
            })
            .nullable()
            .optional()
            .describe('Room temperature that a thermostat measured. Null: not known.'),
          setpoint_c: z
            .number()
            .nullable()
            .optional()
            .describe('Mean of the set temperature, weighted by time, in °C. Null: not known.'),
          heating_minutes: z
            .number()
            .nullable()
            .optional()
            .describe('How long a thermostat was heating, in minutes. Null: not known.'),
        }),
      )
      .describe('The rows, oldest first.'),
  })
  .meta({ id: 'DeviceUsage' });

export const discovered = z
  .strictObject({
    discovery_id: z.string().describe('Id to pair the device with: `discovery_id` of `POST /v1/devices`.'),
    gateway_id: z.string().describe('Id of the gateway that it was heard through.'),
    family: z.string().describe('Which messages it sends, such as `tasmota`.'),
    native_id: z.string().describe('What the device calls itself.'),
    channels: z.array(z.string()).describe('Names of its channels.'),
    quantities: z
      .array(
        z.strictObject({
          channel: z.string().describe('Name of the channel.'),
          kind: z.string().describe('What is measured, with its unit, such as `power_w`.'),
          counts: z
            .enum(['import', 'export'])
            .nullable()
            .describe('What it will count as once the device is paired. Null: nothing.'),
        }),
      )
      .describe('The quantities on its channels.'),
    awaits: z
      .string()
      .nullable()
      .describe(
        'Filter of topics, below the gateway’s prefix, on which its values were announced and none was received yet. Null: values are received.',
      ),
    first_seen_at: instantShape.describe('When it was first heard.'),
    last_seen_at: instantShape.describe('When it was last heard.'),
  })
  .meta({ id: 'DiscoveredDevice' });

/** Converts a device for a list. */
export const toWire = (row: Device): z.output<typeof device> => ({
  device_id: row.device_id,
  type: row.type,
  location: row.location,
  status: row.status,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  placement: row.placement,
  upstream_device_id: row.upstream_device_id,
  attention: row.attention,
});

/** Converts a single device, with its settings, for a response. */
export const detailsToWire = (row: DeviceDetails): z.output<typeof deviceDetails> => ({
  ...toWire(row),
  user_id: row.user_id,
  limit_kw: row.limit_kw,
  register_max_kwh: row.register_max_kwh,
  max_gap_minutes: row.max_gap_minutes,
  timezone: row.timezone,
  decoder_config: row.decoder_config,
  channels: row.channels.map((one) => ({ ...one, last_at: one.last_at?.toISOString() ?? null })),
  is_computed: row.is_computed,
  external_id: row.external_id,
  certificate_sha256: row.certificate_sha256?.toString('hex') ?? null,
  managed_by: row.managed_by,
  created_at: row.created_at.toISOString(),
});

/** Converts a discovered device for the list of its gateway. */
export const discoveredToWire = (row: DiscoveredDevice): z.output<typeof discovered> => ({
  discovery_id: row.discovery_id,
  gateway_id: row.gateway_id,
  family: row.family,
  native_id: row.native_id,
  first_seen_at: row.first_seen_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  channels: row.channels,
  quantities: row.quantities,
  awaits: row.awaits,
});
