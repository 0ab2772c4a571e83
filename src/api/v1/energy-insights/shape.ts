import { z } from 'zod';
import { clockHourShape, dayShape, instantShape, userId } from '#src/api/shapes.ts';
import { type Examples, user_id } from '../example-ids.ts';

const kwh = z.number().nullable().optional();
const share = z.number().min(0).max(1).nullable().optional();
const known = {
  coverage: share.describe('Part of the expected time that is known, 0 to 1. Null: nothing is expected yet.'),
  complete: z.boolean().nullable().optional().describe('Whether all of it is known. Null: nothing is expected yet.'),
};
const amount = z.string().regex(/^-?\d+(\.\d+)?$/);

/** Cost of energy. */
export const cost = z
  .strictObject({
    currency: z.string().describe('Currency of all amounts (ISO 4217).'),
    total: amount.describe('Import, standing charge and capacity, less export.'),
    import: amount.describe('What the imported energy costs.'),
    export: amount.describe('What the exported energy earns.'),
    standing: amount.describe('Standing charge of the time that has begun.'),
    capacity: amount
      .optional()
      .describe('Price of the highest quarter-hour. Only of whole months, and of a capacity tariff.'),
    estimated: amount.describe('Part of `import` for energy that is estimated.'),
    missing_prices_kwh: z.number().describe('Energy whose price is not known, in kWh. It is in no amount.'),
  })
  .nullable()
  .describe('What it costs by the tariffs of the user. Null: no tariff held.')
  .meta({ id: 'Cost' });

/** Emissions of bought energy. */
export const emissions = z
  .strictObject({
    kg_co2e: amount.describe('Kilograms of CO2 equivalent, with 3 decimals.'),
    missing_kwh: z.number().describe('Energy whose intensity is not known, in kWh. It is not in `kg_co2e`.'),
  })
  .nullable()
  .describe('Emissions of the energy from the grid, by the emission series of the user. Null: the user has none.')
  .meta({ id: 'Emissions' });

/** Members that `include` adds. Null if unknown, or if the value cannot be known in this home. */
export const more = {
  cost: cost.optional(),
  emissions: emissions.optional(),
  grid_import_kwh: kwh.describe('Energy from the grid, in kWh. Null: not known.'),
  grid_export_kwh: kwh.describe('Energy to the grid, in kWh. Null: not known.'),
  production_kwh: kwh.describe('Energy that the home produced, in kWh. Null: not known.'),
  charged_kwh: kwh.describe('Energy into storage, in kWh. Null: not known.'),
  discharged_kwh: kwh.describe('Energy out of storage, in kWh. Null: not known.'),
  consumption_kwh: kwh.describe('What consumption devices used, in kWh. Null: not known.'),
  untracked_kwh: kwh.describe('`kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known.'),
  self_consumed_kwh: kwh.describe('Production that was not exported, in kWh. Null: not known.'),
  autarky: share.describe(
    'Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used.',
  ),
  estimated_kwh: kwh.describe('Part of `kwh_used` that is estimated, in kWh. Null: not known.'),
  ...known,
};

export const peakHour = clockHourShape.describe(
  'Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies.',
);
/** `peak_hour` of a row. */
const peakOfRow = z
  .string()
  .regex(/^\d\d:\d\d$/)
  .nullable()
  .describe(
    'Hour with the highest usage, as `HH:00`; over several days the hour of the day. A row by hour, half-hour or quarter-hour names its own start. Null: nothing was used, or no hour qualifies.',
  );
/** Start of a row's bucket. */
const bucket = {
  date: dayShape.describe('First day of the row.'),
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
  starts_at: instantShape
    .optional()
    .describe('Start of the row, with the offset of the time zone. Only in rows by hour, half-hour or quarter-hour.'),
};

/** Usage in a row. */
export const usage = z
  .strictObject({
    ...bucket,
    kwh_used: z
      .number()
      .nullable()
      .describe('What the home used, in kWh. Null: not known, while something in `include` is.'),
    peak_hour: peakOfRow,
    ...more,
  })
  .meta({ id: 'Usage' });

/** Members of a response for a `commodity`, instead of `kwh_used`: energy, volume, or both if the home has meters of both. */
const ofCommodity = {
  kwh_used: z.number().optional().describe('What was used, in kWh, where it is measured as energy.'),
  m3_used: z.number().optional().describe('What was used, in m³, where it is measured as volume.'),
  estimated_kwh: z.number().optional().describe('Part of `kwh_used` that is estimated, in kWh.'),
  estimated_m3: z.number().optional().describe('Part of `m3_used` that is estimated, in m³.'),
  ...known,
};

/** Gas, heat or water in a row. */
const commodityUsage = z
  .strictObject({
    ...bucket,
    peak_hour: peakOfRow,
    ...ofCommodity,
  })
  .meta({ id: 'CommodityUsage' });

const dateRange = z
  .strictObject({ start: dayShape.describe('First day.'), end: dayShape.describe('Last day, inclusive: today.') })
  .describe('The days that the summary is about.');
export const rows = 'The rows, oldest first. Rows about which nothing is known are left out.';

/** Rows if days are given, else the last 30 days in one object; for electricity or for the requested commodity. */
export const insights = z
  .union([
    z.strictObject({ user_id: userId, data: z.array(usage).describe(rows) }),
    z.strictObject({ user_id: userId, data: z.array(commodityUsage).describe(rows) }),
    z.strictObject({
      user_id: userId,
      date_range: dateRange,
      peak_usage_time: peakHour,
      ...ofCommodity,
    }),
    z.strictObject({
      user_id: userId,
      date_range: dateRange,
      kwh_used: z.number().describe('What the home used, in kWh.'),
      peak_usage_time: peakHour,
      ...more,
    }),
  ])
  .meta({ id: 'EnergyInsights' });

export const summary = z
  .strictObject({
    summary: z
      .strictObject({
        total_kwh: z.number().optional().describe('What the home used, in kWh.'),
        avg_daily_kwh: z.number().optional().describe('Mean of the days with data, in kWh.'),
        peak_usage_time: peakHour.optional(),
        ...more,
      })
      .describe('The members that `metrics` and `include` ask for.'),
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
