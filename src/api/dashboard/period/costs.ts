import { periodCostsAnswer } from '#src/api/dashboard/shapes.ts';
import { defineOperation } from '#src/api/operation.ts';
import { loadPeriodCosts } from '#src/cost/period.ts';
import { findPeriodOwner, periodQuery } from './asked.ts';

export const getPeriodCosts = defineOperation({
  summary: 'What a period of a user’s home, or of one of its devices, costs, compared like with like.',
  method: 'GET',
  path: '/v1/period-costs',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: periodCostsAnswer,
  query: periodQuery,
  async handle({ context, caller, query }) {
    const { userId, deviceId, zone, newest } = await findPeriodOwner(context, caller, query);
    const buyer = { userId, ...(deviceId === undefined ? {} : { deviceId }) };
    const asked = { unit: query.unit, date: query.date, zone, now: context.clock(), newest };
    return loadPeriodCosts(context.readDb, buyer, asked);
  },
});
