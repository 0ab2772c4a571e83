import { z } from 'zod';
import { SCOPES } from '#src/auth/scopes.ts';
import { EVENT_TYPES } from '#src/database/enums.ts';

/** What answers look like: the OpenAPI document is made of these, and a test holds every answer to them. */
export const instant = z.iso.datetime({ offset: true });
const day = z.iso.date();
const clockHour = z
  .string()
  .regex(/^\d\d:00$/)
  .nullable();

export const message = z.strictObject({ message: z.string() }).meta({ id: 'Message' });

export const user = z
  .strictObject({
    user_id: z.string(),
    email: z.string(),
    role: z.enum(['homeowner', 'utility', 'admin']),
    created_at: instant,
    phone: z.string().nullable(),
    timezone: z.string(),
    plan: z.enum(['free', 'developer', 'enterprise']),
  })
  .meta({ id: 'User' });

export const insight = z
  .strictObject({
    date: day,
    hour: z.string().optional(),
    starts_at: instant.optional(),
    kwh_used: z.number(),
    peak_hour: clockHour,
  })
  .meta({ id: 'Usage' });

/** With dates the rows, without any the last 30 days in one object. */
export const insights = z
  .union([
    z.strictObject({ user_id: z.string(), data: z.array(insight) }),
    z.strictObject({
      user_id: z.string(),
      date_range: z.strictObject({ start: day, end: day }),
      kwh_used: z.number(),
      peak_usage_time: clockHour,
    }),
  ])
  .meta({ id: 'EnergyInsights' });

export const summary = z
  .strictObject({
    summary: z.strictObject({
      total_kwh: z.number().optional(),
      avg_daily_kwh: z.number().optional(),
      peak_usage_time: clockHour.optional(),
    }),
  })
  .meta({ id: 'Summary' });

export const monthly = z
  .strictObject({
    user_id: z.string(),
    data: z.array(
      z.strictObject({
        month: z.string().regex(/^\d{4}-\d\d$/),
        kwh_used: z.number(),
        avg_daily_kwh: z.number(),
        peak_hour: clockHour,
        change_kwh: z.number().nullable(),
        change_percent: z.number().nullable(),
        partial: z.literal(true).optional(),
      }),
    ),
  })
  .meta({ id: 'MonthlyAnalytics' });

export const webhook = z
  .strictObject({
    webhook_id: z.string(),
    event: z.enum(EVENT_TYPES),
    url: z.string(),
    status: z.enum(['active', 'paused']),
    created_at: instant,
  })
  .meta({ id: 'Webhook' });

export const delivery = z
  .strictObject({
    delivery_id: z.string(),
    event_id: z.string(),
    event: z.string(),
    status: z.enum(['pending', 'succeeded', 'failed']),
    attempts: z.array(
      z.strictObject({
        at: instant,
        response_status: z.number().int().nullable(),
        duration_ms: z.number(),
        error: z.string().nullable(),
      }),
    ),
    next_attempt_at: instant.nullable(),
  })
  .meta({ id: 'Delivery' });

const deviceFields = {
  device_id: z.string(),
  type: z.string(),
  location: z.string(),
  status: z.enum(['active', 'inactive', 'faulty']),
  last_seen_at: instant.nullable(),
};
export const device = z.strictObject(deviceFields).meta({ id: 'Device' });
export const deviceDetails = z
  .strictObject({
    ...deviceFields,
    user_id: z.string(),
    limit_kw: z.number(),
    register_max_kwh: z.number().nullable(),
    max_gap_minutes: z.number(),
    timezone: z.string().nullable(),
    decoder_config: z.record(z.string(), z.unknown()),
    created_at: instant,
  })
  .meta({ id: 'DeviceDetails' });
/** The password is shown once; a discovered device has the credentials of its gateway. */
export const pairedDevice = z
  .strictObject({
    ...deviceFields,
    mqtt: z.strictObject({ username: z.string(), password: z.string(), topic: z.string() }).optional(),
  })
  .meta({ id: 'PairedDevice' });

export const deviceUsage = z
  .strictObject({
    device_id: z.string(),
    data: z.array(
      insight.extend({
        kwh_used: z.number().nullable(),
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

export const gateway = z
  .strictObject({
    gateway_id: z.string(),
    user_id: z.string(),
    name: z.string(),
    decoder_config: z.record(z.string(), z.unknown()),
    created_at: instant,
  })
  .meta({ id: 'Gateway' });
export const createdGateway = gateway
  .extend({
    mqtt: z.strictObject({ username: z.string(), password: z.string(), topic_prefix: z.string() }),
  })
  .meta({ id: 'CreatedGateway' });

const keyFields = {
  key_id: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  expires_at: instant.nullable(),
};
export const key = z
  .strictObject({
    ...keyFields,
    name: z.string().nullable(),
    created_at: instant,
    last_used_at: instant.nullable(),
  })
  .meta({ id: 'Key' });
export const createdKey = z.strictObject({ ...keyFields, key: z.string() }).meta({ id: 'CreatedKey' });
export const rotatedKey = createdKey.extend({ old_expires_at: instant }).meta({ id: 'RotatedKey' });

export const error = z
  .strictObject({
    error: z.string(),
    status: z.number().int(),
    details: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
    retry_after: z.number().int().optional(),
    incident: z.string().optional(),
  })
  .meta({ id: 'ErrorBody' });
