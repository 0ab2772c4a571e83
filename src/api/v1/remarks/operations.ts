import { z } from 'zod';
import { userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { loadAccessibleUser } from '#src/auth/access.ts';
import { loadHomeRemarks } from '#src/remarks/home-remarks.ts';
import { loadMonthForecast } from '#src/remarks/month-forecast.ts';
import { remarkToResponse } from '#src/remarks/wire.ts';
import { forecastSchema, forecastToResponse, remarksSchema } from './shape.ts';

const query = z.object({ user_id: userIdField.optional() });

export const listRemarks = defineOperation('GET /v1/remarks', {
  summary:
    'Returns the current remarks on a user’s home: unusual usage, devices that stay on, missing production and cheaper tariffs, with the values that they are compared with.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: remarksSchema,
  query,
  async handle({ context: { readDb, clock }, db, caller, query: { user_id } }) {
    const { user_id: userId, timezone } = await loadAccessibleUser(db, caller, user_id);
    const found = await loadHomeRemarks(readDb, { userId, zone: timezone, now: clock() });
    return { timezone, remarks: found.map(remarkToResponse) };
  },
});

export const getForecast = defineOperation('GET /v1/forecast', {
  summary:
    'Returns the expected usage and cost of a user’s home at the end of the month: a value, a range, and the errors of the same forecast in earlier months.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: forecastSchema,
  query,
  async handle({ context: { readDb, clock }, db, caller, query: { user_id } }) {
    const { user_id: userId, timezone } = await loadAccessibleUser(db, caller, user_id);
    const month = await loadMonthForecast(readDb, { userId, zone: timezone, now: clock() });
    return { timezone, forecast: month && forecastToResponse(month) };
  },
});
