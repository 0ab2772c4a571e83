import { z } from 'zod';
import { ENVIRONMENTS } from '#src/core/environment.ts';
import {
  ACCOUNT_PLANS,
  ACCOUNT_ROLES,
  ALERT_TYPES,
  DEVICE_STATUSES,
  type EVENT_TYPES,
  PLACEMENTS,
} from '#src/database/enums.ts';
import { remarkRaisedSchema } from './remark.ts';

/** Schemas of the `data` field of events. The OpenAPI document is generated from them. */
const instant = z.iso.datetime({ offset: true });
const userId = z.string().describe('Id of the user whose data the event describes.');

const usageUpdated = z.strictObject({
  user_id: userId,
  hours: z
    .array(
      z.strictObject({
        date: z.iso.date().describe('Day of the hour, in UTC.'),
        hour: z
          .string()
          .regex(/^\d\d:00$/)
          .describe('Start of the hour, in UTC, as `HH:00`.'),
        kwh_used: z.number().describe('Usage of the home in the hour, in kWh. Replaces the previously reported value.'),
      }),
    )
    .describe('The hours that changed since the last event, at most 1,000. Further hours follow in the next event.'),
  updated_at: instant.describe('Time at which these values were read.'),
});

const alertTriggered = z.strictObject({
  alert_id: z.string().describe('Id of the alert that fired.'),
  user_id: userId,
  type: z.enum(ALERT_TYPES).describe('Type of the alert.'),
  threshold_kwh: z.number().optional().describe('Threshold of the alert, in kWh. Only in alerts on usage.'),
  kwh_used: z
    .number()
    .optional()
    .describe('Usage of the home in the period until the alert fired, in kWh. Only in alerts on usage.'),
  threshold: z
    .string()
    .optional()
    .describe('Threshold of the alert, a decimal in the currency of the tariff in force. Only in alerts on costs.'),
  cost: z.string().optional().describe('Total cost of the period until the alert fired. Only in alerts on costs.'),
  currency: z.string().optional().describe('Currency of the cost (ISO 4217). Only in alerts on costs.'),
  threshold_hours: z
    .number()
    .int()
    .nullable()
    .optional()
    .describe('Length of the silence after which the alert fires, in hours. Only in alerts of type `no_data`.'),
  period_start: instant.describe('Start of the hour, day or month. For `no_data`: time of the device’s last reading.'),
  period_end: instant.nullable().describe('End of the period, exclusive. Null: the silence continues.'),
  devices: z
    .array(
      z.strictObject({
        device_id: z.string().describe('Id of the device.'),
        kwh_used: z.number().describe('Energy imported by the device in the period, in kWh.'),
      }),
    )
    .describe('Devices that contributed, largest share first. For `no_data`: the silent device.'),
});

const deviceConnected = z.strictObject({
  device_id: z.string().describe('Id of the device.'),
  user_id: userId,
  type: z.string().describe('Type of the device, in the words of its owner.'),
  location: z.string().describe('Location of the device, in the words of its owner.'),
  status: z.enum(DEVICE_STATUSES).describe('State of the device.'),
  last_seen_at: instant.describe('Time at which the first valid message arrived.'),
  placement: z.enum(PLACEMENTS).describe('Position of the device in its home.'),
  upstream_device_id: z
    .string()
    .nullable()
    .describe('Id of the upstream device, whose measurement includes this device. Null: none.'),
});

/** Schema of an account, in `user.created` and in responses of the API. */
export const accountSchema = z
  .strictObject({
    user_id: z.string().describe('Id of the user.'),
    // No `format: email`, because the address of the first administrator has no dot (auth/keys.ts).
    email: z.string().describe('E-mail address. The first administrator has `admin@localhost`.'),
    role: z
      .enum(ACCOUNT_ROLES)
      .describe(
        'Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data.',
      ),
    created_at: instant.describe('Time at which the account was created.'),
    phone: z.string().nullable().describe('Phone number in E.164 form. Null: none.'),
    timezone: z
      .string()
      .describe('IANA time zone of the user. Alerts and requests with `tz=account` use its hours, days and months.'),
    plan: z.enum(ACCOUNT_PLANS).describe('Plan that sets the rate limits of the account.'),
    emission_series_id: z
      .string()
      .nullable()
      .describe('Id of the emission series for the home’s emissions. Null: none.'),
    remarks_by_mail: z.boolean().describe('Whether the user gets a mail about each new remark on its home.'),
    pending_email: z
      .string()
      .optional()
      .describe(
        'Requested new e-mail address, which takes effect when a link in a mail to it is used. Only present until then, at most 7 days.',
      ),
  })
  .meta({ id: 'User' });

const webhookTest = z.strictObject({
  webhook_id: z.string().describe('Id of the tested subscription.'),
});

export const EVENT_BODIES = {
  'usage.updated': usageUpdated,
  'alert.triggered': alertTriggered,
  'device.connected': deviceConnected,
  'user.created': accountSchema,
  'remark.raised': remarkRaisedSchema,
} as const satisfies Record<(typeof EVENT_TYPES)[number], z.ZodType>;

/** Fields of a webhook's body that are the same for every type of event. */
const envelope = z.strictObject({
  id: z.string().describe('Id of the event, the same in every attempt.'),
  type: z.string().describe('Type of the event.'),
  created_at: instant.describe('Time of the event.'),
  environment: z.enum(ENVIRONMENTS).describe('Installation in which the event happened: `live` or `sandbox`.'),
});

/** Body of a webhook, with `data` of any type. */
export type EventEnvelope = z.output<typeof envelope> & { data: Record<string, unknown> };

export function createEventSchema(type: keyof typeof EVENT_BODIES | 'webhook.test') {
  const data = type === 'webhook.test' ? webhookTest : EVENT_BODIES[type];
  const name = type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return envelope
    .extend({
      type: z.literal(type).describe('Type of the event.'),
      data: data.describe('Object of the event.'),
    })
    .meta({ id: `${name}Event` });
}

export type EventType = (typeof EVENT_TYPES)[number];

/** Type of the `data` field of an event type to which accounts can subscribe. */
export type EventBody<Type extends EventType> = z.output<(typeof EVENT_BODIES)[Type]>;

type Subscribable = { [Type in EventType]: { type: Type; data: EventBody<Type> } }[EventType];

/**
 * Events to which no account can subscribe. Each has one receiver, which depends on its type.
 * - The subscription: `webhook.*`.
 * - The previous address of the account: `user.email_requested` and `user.email_changed`.
 * - The new address of the account: `user.email_to_confirm`, with the confirmation link.
 * - The invited address: `member.invited`.
 * - The home: `member.joined`, `member.ended` and `authorization.*`.
 * - The member: `membership.*`.
 * - The owner of the account: all other events.
 */
interface Addressed {
  type:
    | 'webhook.test'
    | 'webhook.paused'
    | 'user.email_requested'
    | 'user.email_to_confirm'
    | 'user.email_changed'
    | 'access.ended'
    | 'home.recounted'
    | 'key.expiring'
    | 'passkey.added'
    | 'series.source_failing'
    | 'member.invited'
    | 'member.joined'
    | 'member.ended'
    | 'membership.began'
    | 'membership.ended'
    | 'authorization.began'
    | 'authorization.ended';
  data: Record<string, unknown>;
}

/** An event to store in the outbox. `data` is sent to the receivers. */
export type NewEvent = (Subscribable | Addressed) & {
  /** Id of the event. If undefined, the outbox assigns one. */
  eventId?: string;
  /** The account that the event is about. */
  userId: string;
  /** Channel by which the account is notified, in addition to webhooks. */
  channel?: 'email' | 'sms';
  /** Id of the only subscription that receives the event. If undefined, all matching subscriptions receive it. */
  webhookId?: string;
};
