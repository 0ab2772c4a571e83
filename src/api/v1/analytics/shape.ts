import { z } from 'zod';
import { clockHour, userId } from '#src/api/shapes.ts';
import { cost } from '#src/api/v1/energy-insights/shape.ts';

export const monthly = z
  .strictObject({
    user_id: userId,
    data: z
      .array(
        z.strictObject({
          month: z
            .string()
            .regex(/^\d{4}-\d\d$/)
            .describe('Month of the time zone `tz`, as `YYYY-MM`.'),
          kwh_used: z.number().describe('What the home used in the month, in kWh.'),
          avg_daily_kwh: z.number().describe('Mean of the days about which something is known, in kWh.'),
          peak_hour: clockHour.describe('Hour of the day with the highest usage in the month. Null: none qualifies.'),
          change_kwh: z
            .number()
            .nullable()
            .describe('Change against the month before, in kWh. Null: nothing is known of that month.'),
          change_percent: z
            .number()
            .nullable()
            .describe(
              'Change against the month before, in percent. Null: nothing was used, or is known, in that month.',
            ),
          cost: cost.optional(),
          partial: z
            .literal(true)
            .optional()
            .describe('The month is not over, and is compared with the same days of the month before.'),
        }),
      )
      .describe('The months, oldest first. Months without data are left out.'),
  })
  .meta({ id: 'MonthlyAnalytics' });
