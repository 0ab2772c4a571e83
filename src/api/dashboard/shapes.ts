import { z } from 'zod';
import { instantSchema } from '#src/api/shapes.ts';
import { auditRecordSchema } from '#src/api/v1/audit/shape.ts';
import { costSchema, emissionsSchema } from '#src/api/v1/energy-insights/shape.ts';
import { importResponseSchema } from '#src/api/v1/imports/shape.ts';
import type { memberSchema, membershipSchema } from '#src/api/v1/members/shape.ts';
import type { forecastSchema, remarksSchema } from '#src/api/v1/remarks/shape.ts';
import { seriesSchema } from '#src/api/v1/series/shape.ts';
import type { comparisonResponseSchema } from '#src/api/v1/tariffs/shape.ts';
import type { whatIfResponseSchema } from '#src/api/v1/what-if/shape.ts';
import { DELIVERY_STATUSES, PLACEMENTS } from '#src/database/enums.ts';
import { COMMODITIES } from '#src/database/meter.ts';
import { PERIOD_UNITS } from '#src/energy/period/days.ts';
import { VERDICTS_FOR_OWNER } from '#src/energy/usage-breakdown.ts';

/** Schemas of the responses of the dashboard's own operations. Tests check the responses against them. */
const count = z.number().int().min(0);

/** Energy used in a period. Null if unknown. */
const used = z.strictObject({ kwh_used: z.number().nullable(), estimated_kwh: z.number().nullable() });
/** Amount of a commodity that was used, and the estimated part of it, in the commodity's unit. */
const amount = z.strictObject({ used: z.number().nullable(), estimated: z.number().nullable() });
const known = { kwh_used: z.number(), estimated_kwh: z.number() };

const kwh = z.number().nullable();
const share = z.number().min(0).max(1).nullable();
/** Energy that flowed into, out of and within a home. A value is null if it is unknown or not measured. */
const flow = z.strictObject({
  grid_import_kwh: kwh,
  grid_export_kwh: kwh,
  production_kwh: kwh,
  charged_kwh: kwh,
  discharged_kwh: kwh,
  consumption_kwh: kwh,
  untracked_kwh: kwh,
  self_consumed_kwh: kwh,
  autarky: share,
  estimated_kwh: kwh,
  coverage: share,
  complete: z.boolean().nullable(),
});

export const usageBreakdownSchema = z.strictObject({
  kwh_used: z.number(),
  estimated_kwh: z.number(),
  coverage: share,
  complete: z.boolean().nullable(),
  emissions: emissionsSchema,
  devices: z.array(
    z.strictObject({
      device_id: z.string(),
      type: z.string(),
      location: z.string(),
      placement: z.enum(PLACEMENTS),
      import_kwh: kwh,
      export_kwh: kwh,
      estimated_kwh: z.number(),
      notes: z.array(z.strictObject({ note: z.enum(VERDICTS_FOR_OWNER), count })),
      rejected: z.array(z.strictObject({ reason: z.string(), count })),
    }),
  ),
});

const days = { start: z.iso.date(), end: z.iso.date() };
/** Usage of a period, and the share of the period that has readings. The usage is null if unknown. */
const total = { ...used.shape, coverage: share };
const load = z.number().nullable();
const profile = { base_watts: load, night_watts: load };

const homePower = z.strictObject({ watts: z.number(), at: instantSchema.nullable(), minutes: count.nullable() });

export const periodResponseSchema = z.strictObject({
  user_id: z.string(),
  device_id: z.string().nullable(),
  newest_at: instantSchema.nullable(),
  timezone: z.string(),
  now: instantSchema,
  unit: z.enum(PERIOD_UNITS),
  ...days,
  first_date: z.iso.date().nullable(),
  is_production: z.boolean(),
  used: z.strictObject(total),
  compared: z
    .strictObject({
      now: z.strictObject({ ...days, ...total }),
      before: z.strictObject({ ...days, ...total }).nullable(),
      last_year: z.strictObject({ ...days, ...total }),
    })
    .nullable(),
  /** One entry for each day of the period, or for each month (YYYY-MM) of a year. */
  buckets: z.array(z.strictObject({ at: z.string(), ...known })),
  curve: z.array(z.strictObject({ at: instantSchema.nullable(), slot: z.number().int().min(0).max(95), watts: load })),
  peak: z.strictObject({ at: instantSchema, watts: z.number() }).nullable(),
  profile: z.strictObject({ days: count, ...profile }),
  /**
   * Current power of the home. `at`: time of the oldest measured value in the sum; null if the power is the mean of the last
   * `minutes`.
   */
  power: homePower.nullable(),
  flows: flow.nullable(),
  commodities: z.array(
    z.strictObject({
      commodity: z.enum(COMMODITIES),
      unit: z.enum(['kWh', 'm³']),
      used: amount,
      before: amount,
      last_year: amount,
    }),
  ),
  devices: z.array(
    z.strictObject({
      device_id: z.string(),
      type: z.string(),
      location: z.string(),
      placement: z.enum(PLACEMENTS),
      upstream_device_id: z.string().nullable(),
      is_gone: z.boolean(),
      import_kwh: kwh,
      export_kwh: kwh,
      estimated_kwh: z.number(),
      ...profile,
    }),
  ),
  thermostats: z.array(z.strictObject({ device_id: z.string(), location: z.string() })),
  week: z.strictObject({
    weeks: count,
    cells: z.array(
      z.strictObject({
        weekday: z.number().int().min(1).max(7),
        hour: z.number().int().min(0).max(23),
        kwh_used: z.number(),
      }),
    ),
  }),
});

/**
 * Registers whose meter seems to have been replaced. The owner has not confirmed the replacement yet. Readings are in kWh, or in m³ for a
 * volume.
 */
export const suspectedMeterSwapsSchema = z.array(
  z.strictObject({
    device_id: z.string(),
    location: z.string(),
    native_name: z.string(),
    is_volume: z.boolean(),
    at: instantSchema,
    before: z.number(),
    after: z.number(),
  }),
);

/** Measured power of the last ten minutes, oldest first. Null: not measured. */
export const powerResponseSchema = z.strictObject({
  now: instantSchema,
  trail: z.array(z.strictObject({ at: instantSchema, watts: load })),
});

/** Costs in a period. A cost is null if no tariff applied, or if tariffs in two currencies applied. */
export const periodCostsResponseSchema = z.strictObject({
  has_tariff: z.boolean(),
  used: costSchema,
  /** Costs of two periods without the capacity charge, which applies only to whole months. */
  compared: z.strictObject({ now: costSchema, before: costSchema, last_year: costSchema }),
  /** The devices with the highest usage. */
  devices: z.array(z.strictObject({ device_id: z.string(), cost: costSchema })),
  /**
   * Cost in a year of a device with a constant power of 1 kW, at the prices of the past year. `night_amount`: this cost if every hour had
   * the prices from 0:00 to 5:00.
   */
  kilowatt_year: z
    .strictObject({ currency: z.string(), amount: z.number(), night_amount: z.number().nullable() })
    .nullable(),
});

/**
 * Prices of energy from the grid by hour, for today and tomorrow. Null: unknown. Without a dynamic tariff, the currency is null
 * and the list is empty.
 */
export const priceCurveResponseSchema = z.strictObject({
  currency: z.string().nullable(),
  hours: z.array(z.strictObject({ starts_at: instantSchema, per_kwh: z.string().nullable() })),
});

/** A price series that a tariff can use, with the time at which its prices end. */
export const selectablePriceSeriesSchema = seriesSchema
  .omit({ source: true, last_fetched_at: true, next_fetch_at: true, last_error: true })
  .extend({
    prices: count,
    /** End of the time for which the series has prices. Null if it has none. */
    until: instantSchema.nullable(),
  });

export const alertFiringSchema = z.strictObject({
  fired_at: instantSchema,
  period_start: instantSchema,
  /** End of the alert's period. Null for alerts on silent devices. */
  period_end: instantSchema.nullable(),
  kwh_used: z.number().nullable(),
  /** Cost in the period. Null unless the alert is about costs. */
  cost: z.string().nullable(),
  currency: z.string().nullable(),
  /** Id of the silent device. Null unless the type of the alert is no_data. */
  device_id: z.string().nullable(),
  event_id: z.string(),
});

export const sentDeliverySchema = z.strictObject({
  delivery_id: z.string(),
  event_id: z.string(),
  event: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  next_attempt_at: instantSchema.nullable(),
  request: z.strictObject({
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
  attempts: z.array(
    z.strictObject({
      at: instantSchema,
      response_status: z.number().int().nullable(),
      duration_ms: z.number(),
      error: z.string().nullable(),
      response_body: z.string().nullable(),
    }),
  ),
});

export const operatorOverviewSchema = z.strictObject({
  at: instantSchema,
  /**
   * Number of stored readings. The page computes the rate from its increase. The number falls when a month is dropped or the statistics are
   * reset.
   */
  readings_stored: count,
  lag_seconds: z.number().nullable(),
  waiting: z.strictObject({ late_differences: count, stale_days: count, usage_changes: count, deliveries: count }),
  rejected: z.strictObject({ last_hour: count, last_day: count }),
  devices: z.strictObject({ active: count, inactive: count, faulty: count }),
});

/** Report of `energy doctor --json`. `ok`: whether no check found a problem. `todo`: what the operator should do, if anything. */
export const doctorReportSchema = z.strictObject({
  ok: z.boolean(),
  findings: z.array(
    z.strictObject({
      check: z.string(),
      level: z.enum(['ok', 'warning', 'problem', 'skipped']),
      finding: z.string(),
      todo: z.string().nullable(),
    }),
  ),
});

export const rejectedMessageSchema = z.strictObject({
  rejected_id: z.number().int(),
  received_at: instantSchema,
  device_id: z.string().nullable(),
  topic: z.string(),
  element: z.number().int().nullable(),
  reason: z.string(),
  payload: z.string().optional(),
  payload_b64: z.string().optional(),
});

/** Reason why a sign-in at the provider failed, or why the person was refused. */
export type SignInProblem =
  | ('over' | 'denied' | 'unavailable' | 'failed' | 'many')
  | ('unverified' | 'unknown' | 'domain' | 'taken' | 'roles' | 'unusable');

/** Whether the dashboard should ask for the time zone of an account. */
export const timezoneQuestionSchema = z.strictObject({ is_asked: z.boolean() });

export const sessionSchema = z.strictObject({
  session_id: z.string(),
  created_at: instantSchema,
  last_seen_at: instantSchema,
  expires_at: instantSchema,
  user_agent: z.string().nullable(),
  address: z.string().nullable(),
  signed_in_by: z.enum(['mail', 'provider', 'device', 'passkey']),
  is_current: z.boolean(),
});

export const passkeySchema = z.strictObject({
  passkey_id: z.string(),
  name: z.string(),
  /** Host name for which the passkey is valid. */
  host: z.string(),
  created_at: instantSchema,
  last_used_at: instantSchema.nullable(),
});

export const replayCountsSchema = z.strictObject({
  messages: count,
  stored: count,
  rejected: count,
  cut: count,
  complete: z.boolean(),
});

/** E-mail address of an account. Null if the account was deleted, or if the id is not that of an account. */
const email = z.string().nullable();
export const auditRecordWithEmailsSchema = auditRecordSchema.extend({ actor_email: email, target_email: email });

/**
 * Quantities of a device whose latest value is implausible. The value does not contribute to totals until later values explain
 * it.
 */
export const readingsOnHoldSchema = z.array(z.strictObject({ native_name: z.string(), at: instantSchema }));

export const rollupCheckSchema = z.strictObject({
  users: count,
  checked: count,
  differences: z.array(
    z.strictObject({
      relation: z.string(),
      user_id: z.string(),
      key: z.record(z.string(), z.string()),
      stored_milliwatt_hours: z.number().nullable(),
      expected_milliwatt_hours: z.number().nullable(),
    }),
  ),
  truncated: z.boolean(),
});

/** Result of validating a table of devices before its import. */
export const importCheckSchema = z.strictObject({
  rows: count,
  created: count,
  existing: count,
  users_created: count,
  differing: importResponseSchema.shape.differing,
  /** `field`: where the error is, such as `line 3.type` or `line 3`. */
  mistakes: z.array(z.strictObject({ field: z.string(), message: z.string() })),
});
export const unfetchedImportsSchema = z.array(importResponseSchema);

export type Cost = z.output<typeof costSchema>;
export type Period = z.output<typeof periodResponseSchema>;
export type SuspectedMeterSwap = z.output<typeof suspectedMeterSwapsSchema>[number];
export type RecentPower = z.output<typeof powerResponseSchema>;
export type PeriodCosts = z.output<typeof periodCostsResponseSchema>;
export type PriceCurve = z.output<typeof priceCurveResponseSchema>;
export type SelectablePriceSeries = z.output<typeof selectablePriceSeriesSchema>;
export type TariffComparison = z.output<typeof comparisonResponseSchema>;
export type WhatIfResponse = z.output<typeof whatIfResponseSchema>;
export type UsageBreakdownResponse = z.output<typeof usageBreakdownSchema>;
export type Remarks = z.output<typeof remarksSchema>;
export type Remark = Remarks['remarks'][number];
export type HomeMember = z.output<typeof memberSchema>;
export type Membership = z.output<typeof membershipSchema>;
export type Forecast = z.output<typeof forecastSchema>;
export type AlertFiring = z.output<typeof alertFiringSchema>;
export type SentDelivery = z.output<typeof sentDeliverySchema>;
export type OperatorOverview = z.output<typeof operatorOverviewSchema>;
export type DoctorReport = z.output<typeof doctorReportSchema>;
export type RejectedMessageEntry = z.output<typeof rejectedMessageSchema>;
export type ReplayCounts = z.output<typeof replayCountsSchema>;
export type AuditRecordWithEmails = z.output<typeof auditRecordWithEmailsSchema>;
export type ReadingsOnHold = z.output<typeof readingsOnHoldSchema>;
export type Passkey = z.output<typeof passkeySchema>;
export type RollupReport = z.output<typeof rollupCheckSchema>;
export type TimeZoneQuestion = z.output<typeof timezoneQuestionSchema>;
export type ImportCheck = z.output<typeof importCheckSchema>;
