import { z } from 'zod';
import {
  createIncludeField,
  integerFieldWithDefault,
  parseInclude,
  userIdField,
  zoneOrAccountField,
} from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { clockHourSchema, userIdSchema } from '#src/api/shapes.ts';
import { formatTable } from '#src/api/tables/table.ts';
import { costSchema, emissionsSchema } from '#src/api/v1/energy-insights/shape.ts';
import { resolveUserWithZone } from '#src/auth/access.ts';
import { addCostsAndEmissionsToMonths } from '#src/cost/insights.ts';
import { flattenCostsAndEmissions, listCostAndEmissionColumns } from '#src/cost/weighted-rows.ts';
import { loadMonthlyUsage } from '#src/energy/monthly.ts';
import { type Examples, user_id } from '../example-ids.ts';

const monthly = z
  .strictObject({
    user_id: userIdSchema,
    data: z
      .array(
        z.strictObject({
          month: z
            .string()
            .regex(/^\d{4}-\d\d$/)
            .describe('Month in the time zone `tz`, as `YYYY-MM`.'),
          kwh_used: z.number().describe('Usage of the home in the month, in kWh.'),
          avg_daily_kwh: z.number().describe('Mean daily usage over the days with data, in kWh.'),
          peak_hour: clockHourSchema.describe(
            'Hour of the day with the highest usage in the month. Null: more than half of the usage is estimated in every hour.',
          ),
          change_kwh: z
            .number()
            .nullable()
            .describe('Change from the previous month, in kWh. Null: the previous month has no data.'),
          change_percent: z
            .number()
            .nullable()
            .describe('Change from the previous month, in percent. Null: the previous month has no data or no usage.'),
          cost: costSchema.optional(),
          emissions: emissionsSchema.optional(),
          partial: z
            .literal(true)
            .optional()
            .describe('`true`: the month is not over, and is compared with the same days of the previous month.'),
        }),
      )
      .describe('The months, oldest first. Months without data are omitted.'),
  })
  .meta({ id: 'MonthlyAnalytics' });

const query = z.object({
  user_id: userIdField.optional(),
  months: integerFieldWithDefault(1, 36, 12).describe('Number of months, including the current one.'),
  tz: zoneOrAccountField.default('UTC'),
  include: createIncludeField([]).optional(),
});

const COLUMNS = ['month', 'kwh_used', 'avg_daily_kwh', 'peak_hour', 'change_kwh', 'change_percent', 'partial'];

export const monthlyAnalytics = defineOperation('GET /v1/analytics/monthly', {
  summary: 'Returns a user’s usage by month, compared with the previous month.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: monthly,
  formats: ['csv', 'xlsx'],
  query,
  async handle({ context, db, caller, query: { user_id, months, tz, include }, format, reply }) {
    const { userId, zone } = await resolveUserWithZone(db, caller, user_id, tz);
    const now = context.clock();
    const rows = await loadMonthlyUsage(context.readDb, userId, { months, zone, now });
    const { weighted } = parseInclude(include);
    const data = await addCostsAndEmissionsToMonths(context.readDb, rows, { userId, zone, now, weighted });
    if (format === 'json') return { user_id: userId, data };
    return formatTable(reply, format, data.map(flattenCostsAndEmissions), [
      ...COLUMNS,
      ...listCostAndEmissionColumns(weighted),
    ]);
  },
});

export const ANALYTICS_EXAMPLES = {
  monthlyAnalytics: {
    answer: {
      user_id,
      data: [
        {
          month: '2026-05',
          kwh_used: 342.118,
          avg_daily_kwh: 11.036,
          peak_hour: '18:00',
          change_kwh: -21.4,
          change_percent: -5.9,
        },
        {
          month: '2026-06',
          kwh_used: 174.26,
          avg_daily_kwh: 11.617,
          peak_hour: '18:00',
          change_kwh: 6.02,
          change_percent: 3.6,
          partial: true,
        },
      ],
    },
    csv: 'month,kwh_used,avg_daily_kwh,peak_hour,change_kwh,change_percent,partial\n2026-05,342.118,11.036,18:00,-21.4,-5.9,\n2026-06,174.26,11.617,18:00,6.02,3.6,1\n',
  },
} satisfies Examples;
