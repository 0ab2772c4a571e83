import { z } from 'zod';
import { clockHour } from '#src/api/shapes.ts';

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
