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

/** What `commodity` answers in place of `kwh_used`: energy, volume, or both where the home has meters of both. */
const ofCommodity = {
  kwh_used: z.number().optional(),
  m3_used: z.number().optional(),
  estimated_kwh: z.number().optional(),
  estimated_m3: z.number().optional(),
  coverage: share,
  complete: z.boolean().nullable().optional(),
};

/** An hour, day or month of gas, heat or water. */
const commodityUsage = z
  .strictObject({
    date: day,
    hour: z.string().optional(),
    starts_at: instant.optional(),
    peak_hour: clockHour,
    ...ofCommodity,
  })
  .meta({ id: 'CommodityUsage' });

/** With dates the rows, without any the last 30 days in one object; of electricity, or of the commodity that was asked for. */
export const insights = z
  .union([
    z.strictObject({ user_id: z.string(), data: z.array(usage) }),
    z.strictObject({ user_id: z.string(), data: z.array(commodityUsage) }),
    z.strictObject({
      user_id: z.string(),
      date_range: z.strictObject({ start: day, end: day }),
      peak_usage_time: clockHour,
      ...ofCommodity,
    }),
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
