import { z } from 'zod';
import { clockHour, day, instant } from '#src/api/shapes.ts';

/** An hour, day or month. */
export const usage = z
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
    z.strictObject({ user_id: z.string(), data: z.array(usage) }),
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
