import { z } from 'zod';
import { remarkSchema } from '#src/events/remark.ts';
import type { MonthEndForecast } from '#src/remarks/month-end.ts';
import { device_id, type Examples } from '../example-ids.ts';

const timezone = z.string().describe('IANA time zone of the user, which defines the days.');

export const remarksSchema = z
  .strictObject({
    timezone,
    remarks: z
      .array(remarkSchema)
      .describe('Current remarks on the home, the most urgent first. Empty: nothing is unusual.'),
  })
  .meta({ id: 'Remarks' });

const energy = (meaning: string) => z.number().min(0).describe(`${meaning}, in kWh.`);
const day = z.iso.date();
const wholeNumber = z.number().int().min(0);

const monthCost = z.strictObject({
  currency: z.string().describe('Currency (ISO 4217).'),
  expected: z.number().describe('Expected cost of the month.'),
  low: z.number().describe('Cost at the lower end of the range of usage.'),
  high: z.number().describe('Cost at the upper end of the range of usage.'),
});

const pastMonth = z.strictObject({
  month: z
    .string()
    .regex(/^\d{4}-\d\d$/)
    .describe('Month, as `YYYY-MM`.'),
  forecast_kwh: energy('Usage of the month that this forecast would have expected on the same day of that month'),
  actual_kwh: energy('Actual usage of the home in the month'),
  last_year_kwh: energy('Usage of the home in the same month of the previous year')
    .nullable()
    .describe('Usage of the home in the same month of the previous year, in kWh. Null: unknown.'),
});

const month = z.strictObject({
  start: day.describe('First day of the current month.'),
  end: day.describe('Last day of the current month.'),
  days_over: wholeNumber.describe('Number of past days of the month.'),
  so_far_kwh: energy('Usage of the home in the month so far'),
  expected_kwh: energy('Expected usage of the home in the whole month'),
  low_kwh: energy('Lower end of the range in which the usage of the month will probably lie'),
  high_kwh: energy('Upper end of the range in which the usage of the month will probably lie'),
  range_percent: wholeNumber.describe('Percentage of months whose usage lies within the range.'),
  cost: monthCost.nullable().describe('Expected cost of the month. Null: no tariff, or a tariff for too few days.'),
  past: z.array(pastMonth).describe('Earlier months of the home with the same forecast, latest first.'),
  mean_error: z
    .number()
    .nullable()
    .describe('Mean error of the forecast in these months, as a share of their usage. Null: no earlier months.'),
});

export const forecastSchema = z
  .strictObject({
    timezone,
    forecast: month.nullable().describe('Forecast of the current month. Null: the home has too few days with data.'),
  })
  .meta({ id: 'Forecast' });

/** Rounds energy in kWh to whole Wh, and money to thousandths of the currency. */
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/** Converts a forecast of a month's usage to its form in responses. */
export const forecastToResponse = ({ cost, past, meanError, ...one }: MonthEndForecast): z.output<typeof month> => ({
  start: one.start,
  end: one.end,
  days_over: one.daysOver,
  so_far_kwh: rounded(one.soFarKwh),
  expected_kwh: rounded(one.expectedKwh),
  low_kwh: rounded(one.lowKwh),
  high_kwh: rounded(one.highKwh),
  range_percent: one.rangePercent,
  cost: cost && {
    currency: cost.currency,
    expected: rounded(cost.expected),
    low: rounded(cost.low),
    high: rounded(cost.high),
  },
  past: past.map(({ month: name, forecastKwh, actualKwh, lastYearKwh }) => ({
    month: name,
    forecast_kwh: rounded(forecastKwh),
    actual_kwh: rounded(actualKwh),
    last_year_kwh: lastYearKwh === null ? null : rounded(lastYearKwh),
  })),
  mean_error: meanError === null ? null : rounded(meanError),
});

/** Example of a remark, which the examples of responses and of the event share. */
export const EXAMPLE_REMARK = {
  kind: 'stays_on' as const,
  since: '2026-06-13T18:45:00.000Z',
  until: '2026-06-15T12:00:00.000Z',
  least_w: 1_480,
  usual_w: 210,
  device_id,
  location: 'cellar',
  compared: [
    { at: '2026-06-13T12:00:00.000Z', watts: 205 },
    { at: '2026-06-14T12:00:00.000Z', watts: 214 },
    { at: '2026-06-15T12:00:00.000Z', watts: 1_480 },
  ],
};

export const REMARK_EXAMPLES = {
  listRemarks: { answer: { timezone: 'Europe/Berlin', remarks: [EXAMPLE_REMARK] } },
  getForecast: {
    answer: {
      timezone: 'Europe/Berlin',
      forecast: {
        start: '2026-06-01',
        end: '2026-06-30',
        days_over: 14,
        so_far_kwh: 162.31,
        expected_kwh: 341.07,
        low_kwh: 322.4,
        high_kwh: 361.912,
        range_percent: 80,
        cost: { currency: 'EUR', expected: 112.553, low: 106.392, high: 119.431 },
        past: [{ month: '2026-05', forecast_kwh: 335.208, actual_kwh: 342.118, last_year_kwh: 351.6 }],
        mean_error: 0.02,
      },
    },
  },
} satisfies Examples;
