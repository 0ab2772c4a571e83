import { z } from 'zod';
import { figureAnswer } from '#src/api/dashboard/shapes.ts';
import { dateField, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { unprocessable } from '#src/core/errors.ts';
import { loadTotalEmissions } from '#src/cost/emissions.ts';
import { dayCount, dayRange } from '#src/energy/ranges.ts';
import { loadUsageBreakdown } from '#src/energy/usage-breakdown.ts';

/** Maximum number of days of a figure on the Home page: a month. */
const MAX_DAYS = 31;

export const getUsageBreakdown = defineOperation({
  summary: 'What a home used in some days of the user’s time zone: measured, estimated, and told by which devices.',
  method: 'GET',
  path: '/v1/figure',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: figureAnswer,
  query: z.object({
    user_id: userIdField.optional(),
    start: dateField.describe('First day, in the time zone of the user.'),
    end: dateField.describe(`Last day, inclusive; at most ${MAX_DAYS} days from \`start\` on.`),
  }),
  async handle({ context: { db, readDb, clock }, caller, query: { user_id, start, end } }) {
    if (end < start) throw unprocessable({ field: 'end', message: 'must not lie before start' });
    if (dayCount(start, end) > MAX_DAYS) throw unprocessable({ field: 'end', message: `at most ${MAX_DAYS} days` });
    const { user_id: userId, timezone } = await reachUser(db, caller, user_id);
    const range = dayRange(start, end, timezone);
    const [breakdown, emissions] = await Promise.all([
      loadUsageBreakdown(readDb, userId, range),
      loadTotalEmissions(readDb, { buyer: { userId }, range, now: clock() }),
    ]);
    return { ...breakdown, emissions };
  },
});
