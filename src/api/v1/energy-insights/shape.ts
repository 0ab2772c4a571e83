import { z } from 'zod';
import { clockHour, day, instant } from '#src/api/shapes.ts';

const kwh = z.number().nullable().optional();
const share = z.number().min(0).max(1).nullable().optional();
/** What `include` adds. Null: not known, or not to be known in this home. */
const more = {
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
  complete: z.boolean().nullable().optional(),
};

/** An hour, day or month. */
export const usage = z
  .strictObject({
    date: day,
    hour: z.string().optional(),
    starts_at: instant.optional(),
    /** Null where only what else was asked for is known. */
    kwh_used: z.number().nullable(),
    peak_hour: clockHour,
    ...more,
  })
  .meta({ id: 'Usage' });

/** With dates the rows, without any the last 30 days in one object. */
export const insights = z
  .union([
    z.strictObject({ user_id: z.string(), data: z.array(usage) }),
    z.strictObject({
      user_id: z.string(),
      date_range: z.strictObject({ start: day, end: day }),
      kwh_used: z.number(),
      peak_usage_time: clockHour,
      ...more,
    }),
  ])
  .meta({ id: 'EnergyInsights' });

export const summary = z
  .strictObject({
    summary: z.strictObject({
      total_kwh: z.number().optional(),
      avg_daily_kwh: z.number().optional(),
      peak_usage_time: clockHour.optional(),
      ...more,
    }),
  })
  .meta({ id: 'Summary' });
