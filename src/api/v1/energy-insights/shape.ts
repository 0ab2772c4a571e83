import { z } from 'zod';
import { clockHourSchema, daySchema, instantSchema, userIdSchema } from '#src/api/shapes.ts';
import { type Examples, user_id } from '../example-ids.ts';

const kwh = z.number().nullable().optional();
const share = z.number().min(0).max(1).nullable().optional();
const known = {
  coverage: share.describe(
    'Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet.',
  ),
  complete: z
    .boolean()
    .nullable()
    .optional()
    .describe('Whether all expected data is known. Null: no data is expected yet.'),
};
const amount = z.string().regex(/^-?\d+(\.\d+)?$/);

/** Cost of the energy in a row or in the total. */
export const costSchema = z
  .strictObject({
    currency: z.string().describe('Currency of all amounts (ISO 4217).'),
    total: amount.describe('Sum of import, standing charge and capacity, minus export.'),
    import: amount.describe('Cost of the imported energy.'),
    export: amount.describe('Payment for the exported energy.'),
    standing: amount.describe('Standing charge for the elapsed time.'),
    capacity: amount
      .optional()
      .describe('Charge for the highest quarter-hour. Only for whole months, and only with a capacity tariff.'),
    estimated: amount.describe('Part of `import` that is the cost of estimated energy.'),
    missing_prices_kwh: z.number().describe('Energy without a known price, in kWh. No amount contains it.'),
  })
  .nullable()
  .describe('Cost under the user’s tariffs. Null: no tariff was in force.')
  .meta({ id: 'Cost' });

/** Emissions of the energy from the grid in a row or in the total. */
export const emissionsSchema = z
  .strictObject({
    kg_co2e: amount.describe('Emissions in kg of CO2 equivalent, with 3 decimals.'),
    missing_kwh: z.number().describe('Energy without a known intensity, in kWh. `kg_co2e` does not contain it.'),
  })
  .nullable()
  .describe(
    'Emissions of the energy from the grid, from the user’s emission series. Null: the user has no emission series.',
  )
  .meta({ id: 'Emissions' });

/** Members that a request can add to rows and totals by `include`. A value is null if it is unknown or not measured. */
export const INCLUDABLE_MEMBERS = {
  cost: costSchema.optional(),
  emissions: emissionsSchema.optional(),
  grid_import_kwh: kwh.describe('Energy from the grid, in kWh. Null: unknown.'),
  grid_export_kwh: kwh.describe('Energy to the grid, in kWh. Null: unknown.'),
  production_kwh: kwh.describe('Energy that the home produced, in kWh. Null: unknown.'),
  charged_kwh: kwh.describe('Energy that batteries charged, in kWh. Null: unknown.'),
  discharged_kwh: kwh.describe('Energy that batteries discharged, in kWh. Null: unknown.'),
  consumption_kwh: kwh.describe('Energy used by consumption devices, in kWh. Null: unknown.'),
  untracked_kwh: kwh.describe('`kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown.'),
  self_consumed_kwh: kwh.describe('Production that was not exported, in kWh. Null: unknown.'),
  autarky: share.describe('Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage.'),
  estimated_kwh: kwh.describe('Part of `kwh_used` that is estimated, in kWh. Null: unknown.'),
  ...known,
};

export const peakHourSchema = clockHourSchema.describe(
  'Hour with the highest usage, as `HH:00`; over several days, the hour of the day. Null: no usage, or in every hour more than half of the usage is estimated.',
);
/** Hour with the highest usage in the period that a row covers. */
const peakOfRow = z
  .string()
  .regex(/^\d\d:\d\d$/)
  .nullable()
  .describe(
    'Hour with the highest usage, as `HH:00`; over several days, the hour of the day. A row by hour, half-hour or quarter-hour has its own start here. Null: no usage, or in every hour more than half of the usage is estimated.',
  );
/** Members that state when a row starts. */
const bucket = {
  date: daySchema.describe('First day of the row.'),
  hour: z
    .string()
    .regex(/^\d\d:00$/)
    .optional()
    .describe('Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour.'),
  time: z
    .string()
    .regex(/^\d\d:\d\d$/)
    .optional()
    .describe('Start of the row on the clock of the time zone, as `HH:MM`. Only in rows by half-hour or quarter-hour.'),
  starts_at: instantSchema
    .optional()
    .describe('Start of the row, with the offset of the time zone. Only in rows by hour, half-hour or quarter-hour.'),
};

/** A row with the usage of electricity. */
export const usageSchema = z
  .strictObject({
    ...bucket,
    kwh_used: z
      .number()
      .nullable()
      .describe('Usage of the home, in kWh. Null: unknown; the row then contains other known members.'),
    peak_hour: peakOfRow,
    ...INCLUDABLE_MEMBERS,
  })
  .meta({ id: 'Usage' });

/** Members that replace `kwh_used` if the request names a `commodity`: energy, volume, or both. */
const ofCommodity = {
  kwh_used: z.number().optional().describe('Usage measured as energy, in kWh.'),
  m3_used: z.number().optional().describe('Usage measured as volume, in m³.'),
  estimated_kwh: z.number().optional().describe('Part of `kwh_used` that is estimated, in kWh.'),
  estimated_m3: z.number().optional().describe('Part of `m3_used` that is estimated, in m³.'),
  ...known,
};

/** A row with the usage of gas, heat or water. */
const commodityUsage = z
  .strictObject({
    ...bucket,
    peak_hour: peakOfRow,
    ...ofCommodity,
  })
  .meta({ id: 'CommodityUsage' });

const dateRange = z
  .strictObject({
    start: daySchema.describe('First day of the summary.'),
    end: daySchema.describe('Last day of the summary, inclusive: today.'),
  })
  .describe('Days of the summary.');
export const INSIGHT_ROWS_DESCRIPTION = 'The rows, oldest first. Rows without data are omitted.';

/** Response about electricity or another commodity: rows if the request names days, otherwise one object for the last 30 days. */
export const insightsSchema = z
  .union([
    z.strictObject({ user_id: userIdSchema, data: z.array(usageSchema).describe(INSIGHT_ROWS_DESCRIPTION) }),
    z.strictObject({ user_id: userIdSchema, data: z.array(commodityUsage).describe(INSIGHT_ROWS_DESCRIPTION) }),
    z.strictObject({
      user_id: userIdSchema,
      date_range: dateRange,
      peak_usage_time: peakHourSchema,
      ...ofCommodity,
    }),
    z.strictObject({
      user_id: userIdSchema,
      date_range: dateRange,
      kwh_used: z.number().describe('Usage of the home, in kWh.'),
      peak_usage_time: peakHourSchema,
      ...INCLUDABLE_MEMBERS,
    }),
  ])
  .meta({ id: 'EnergyInsights' });

export const summarySchema = z
  .strictObject({
    summary: z
      .strictObject({
        total_kwh: z.number().optional().describe('Usage of the home, in kWh.'),
        avg_daily_kwh: z.number().optional().describe('Mean daily usage over the days with data, in kWh.'),
        peak_usage_time: peakHourSchema.optional(),
        ...INCLUDABLE_MEMBERS,
      })
      .describe('The members that `metrics` and `include` select.'),
  })
  .meta({ id: 'Summary' });

export const ENERGY_INSIGHTS_EXAMPLES = {
  getEnergyInsights: {
    answer: {
      user_id,
      data: [
        { date: '2026-06-14', kwh_used: 12.482, peak_hour: '18:00' },
        { date: '2026-06-15', kwh_used: 9.107, peak_hour: '19:00' },
      ],
    },
    csv: 'date,kwh_used,peak_hour\n2026-06-14,12.482,18:00\n2026-06-15,9.107,19:00\n',
  },
  postEnergyInsights: {
    body: { interval: 'month', metrics: ['kwh_used', 'peak_hour'] },
    answer: { summary: { total_kwh: 174.26, avg_daily_kwh: 11.617, peak_usage_time: '18:00' } },
  },
} satisfies Examples;
