import { periodAnswer } from '#src/api/dashboard/shapes.ts';
import { defineOperation } from '#src/api/operation.ts';
import { loadHomePeriod } from '#src/energy/period/period.ts';
import { findPeriodOwner, periodQuery } from './asked.ts';

export const getPeriod = defineOperation({
  summary:
    'A day, week, month or year of a user’s home, or of one device, in the user’s time zone: what was used, compared like with like, and by what.',
  method: 'GET',
  path: '/v1/period',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: periodAnswer,
  query: periodQuery,
  async handle({ context, caller, query }) {
    const { userId, deviceId, zone, newest } = await findPeriodOwner(context, caller, query);
    const asked = { unit: query.unit, date: query.date, zone, now: context.clock(), newest };
    return {
      user_id: userId,
      device_id: deviceId ?? null,
      newest_at: newest?.toISOString() ?? null,
      ...(await loadHomePeriod(context.readDb, { userId, deviceId }, asked)),
    };
  },
});
