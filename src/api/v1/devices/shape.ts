import { z } from 'zod';
import { id, text, zone } from '#src/api/fields.ts';
import { instant } from '#src/api/shapes.ts';
import { usage } from '#src/api/v1/energy-insights/shape.ts';
import { decoderConfig } from '#src/api/v1/gateways/shape.ts';
import { DEVICE_STATUSES, PLACEMENTS } from '#src/database/enums.ts';
import { COUNTS_AS } from '#src/devices/channel-name.ts';
import type { Discovered } from '#src/devices/gateways.ts';
import { ATTENTIONS, type Device, type DeviceDetails } from '#src/devices/store.ts';

const type = text(64);
const location = text(200);
const limit_kw = z.number().positive().max(1_000_000);
const register_max_kwh = z.number().positive().max(9_000_000_000);
const max_gap_minutes = z.number().positive().max(1_440);
const placement = z.enum(PLACEMENTS);
const counts_as = z
  .string()
  .regex(COUNTS_AS, 'must be import, export, a part as import/t1, gas, heat, water or ignored');
/** What an owner says of quantities, by their names; null takes back what was said. */
const channels = z
  .array(
    z.strictObject({
      native_name: text(300),
      counts_as: counts_as.nullable().optional(),
      placement: placement.nullable().optional(),
    }),
  )
  .max(200);

export const newDevice = z.strictObject({
  user_id: id.optional(),
  type,
  location,
  limit_kw: limit_kw.optional(),
  register_max_kwh: register_max_kwh.optional(),
  max_gap_minutes: max_gap_minutes.optional(),
  timezone: zone.optional(),
  placement: placement.optional(),
  upstream_device_id: id.optional(),
  channels: channels.optional(),
  discovery_id: id.optional(),
});
export const devicePatch = z
  .strictObject({
    type,
    location,
    limit_kw,
    register_max_kwh: register_max_kwh.nullable(),
    max_gap_minutes,
    timezone: zone.nullable(),
    decoder_config: decoderConfig,
    placement,
    upstream_device_id: id.nullable(),
    channels,
  })
  .partial();

const members = {
  device_id: z.string(),
  type: z.string(),
  location: z.string(),
  status: z.enum(DEVICE_STATUSES),
  last_seen_at: instant.nullable(),
  placement,
  upstream_device_id: z.string().nullable(),
  attention: z.array(z.enum(ATTENTIONS)),
};
export const device = z.strictObject(members).meta({ id: 'Device' });
export const deviceDetails = z
  .strictObject({
    ...members,
    user_id: z.string(),
    limit_kw: z.number(),
    register_max_kwh: z.number().nullable(),
    max_gap_minutes: z.number(),
    timezone: z.string().nullable(),
    decoder_config: z.record(z.string(), z.unknown()),
    channels: z.array(
      z.strictObject({
        native_name: z.string(),
        unit: z.string().nullable(),
        last_value: z.number().nullable(),
        last_at: instant.nullable(),
        counts_as: z.string().nullable(),
        placement: placement.nullable(),
      }),
    ),
    created_at: instant,
  })
  .meta({ id: 'DeviceDetails' });
/** The password is shown once; a discovered device has the credentials of its gateway. */
export const pairedDevice = z
  .strictObject({
    ...members,
    mqtt: z.strictObject({ username: z.string(), password: z.string(), topic: z.string() }).optional(),
  })
  .meta({ id: 'PairedDevice' });

export const deviceUsage = z
  .strictObject({
    device_id: z.string(),
    data: z.array(
      usage.extend({
        kwh_used: z.number().nullable(),
        export_kwh: z.number().nullable().optional(),
        temperature_c: z.strictObject({ mean: z.number(), min: z.number(), max: z.number() }).nullable().optional(),
        setpoint_c: z.number().nullable().optional(),
        heating_minutes: z.number().nullable().optional(),
      }),
    ),
  })
  .meta({ id: 'DeviceUsage' });

export const discovered = z
  .strictObject({
    discovery_id: z.string(),
    gateway_id: z.string(),
    family: z.string(),
    native_id: z.string(),
    channels: z.array(z.string()),
    quantities: z.array(
      z.strictObject({ channel: z.string(), kind: z.string(), counts: z.enum(['import', 'export']).nullable() }),
    ),
    first_seen_at: instant,
    last_seen_at: instant,
  })
  .meta({ id: 'DiscoveredDevice' });

/** A device as lists show it. */
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

/** A device by itself, with its settings. */
export const detailsToWire = (row: DeviceDetails): z.output<typeof deviceDetails> => ({
  ...toWire(row),
  user_id: row.user_id,
  limit_kw: row.limit_kw,
  register_max_kwh: row.register_max_kwh,
  max_gap_minutes: row.max_gap_minutes,
  timezone: row.timezone,
  decoder_config: row.decoder_config,
  channels: row.channels.map((one) => ({ ...one, last_at: one.last_at?.toISOString() ?? null })),
  created_at: row.created_at.toISOString(),
});

/** What was heard through a gateway, as the list of it shows it. */
export const discoveredToWire = (row: Discovered): z.output<typeof discovered> => ({
  discovery_id: row.discovery_id,
  gateway_id: row.gateway_id,
  family: row.family,
  native_id: row.native_id,
  first_seen_at: row.first_seen_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  channels: row.channels,
  quantities: row.quantities,
});
