import { z } from 'zod';
import { forecastAnswer } from '#src/api/dashboard/shapes.ts';
import { idField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { monthForecast } from '#src/remarks/month-forecast.ts';

export const getForecast = defineOperation({
  summary:
    'What a user’s home will have used, and cost, at the end of the month, between which two, and how far the same forecast was off before.',
  method: 'GET',
  path: '/v1/forecast',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: forecastAnswer,
  query: z.object({ user_id: idField.optional() }),
  async handle({ context: { db, readDb, clock }, caller, query: { user_id } }) {
    const { user_id: userId, timezone } = await reachUser(db, caller, user_id);
    const month = await monthForecast(readDb, { userId, zone: timezone, now: clock() });
    if (!month) return { timezone, forecast: null };
    const { cost } = month;
    return {
      timezone,
      forecast: {
        start: month.start,
        end: month.end,
        days_over: month.daysOver,
        so_far_kwh: rounded(month.soFarKwh),
        expected_kwh: rounded(month.expectedKwh),
        low_kwh: rounded(month.lowKwh),
        high_kwh: rounded(month.highKwh),
        range_percent: month.rangePercent,
        cost: cost && {
          currency: cost.currency,
          expected: rounded(cost.expected),
          low: rounded(cost.low),
          high: rounded(cost.high),
        },
        past: month.past.map(({ month: name, forecastKwh, actualKwh, lastYearKwh }) => ({
          month: name,
          forecast_kwh: rounded(forecastKwh),
          actual_kwh: rounded(actualKwh),
          last_year_kwh: lastYearKwh === null ? null : rounded(lastYearKwh),
        })),
        mean_error: month.meanError === null ? null : rounded(month.meanError),
      },
    };
  },
});

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
