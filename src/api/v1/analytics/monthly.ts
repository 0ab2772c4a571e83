import { z } from 'zod';
import { include, namesOf, ofUser, whole, zoneOrAccount } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { formatOf } from '#src/api/tables/accept.ts';
import { tableOf } from '#src/api/tables/table.ts';
import { reachWithZone } from '#src/auth/access.ts';
import { withCostOfMonths } from '#src/cost/insights.ts';
import { COST_COLUMNS, flattened } from '#src/cost/with-cost.ts';
import { monthly as compare } from '#src/energy/monthly.ts';
import { monthly as shape } from './shape.ts';

const query = z.object({
  user_id: ofUser.optional(),
  months: whole(1, 36, 12).describe('How many months, the current one included.'),
  tz: zoneOrAccount.default('UTC'),
  include: include([]).optional(),
});

const COLUMNS = ['month', 'kwh_used', 'avg_daily_kwh', 'peak_hour', 'change_kwh', 'change_percent', 'partial'];

export const monthlyAnalytics = operation({
  summary: 'A user’s months, each beside the one before.',
  method: 'GET',
  path: '/v1/analytics/monthly',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shape,
  formats: ['csv', 'xlsx'],
  query,
  async handle({ context, caller, query: { user_id, months, tz, include }, accepts, reply }) {
    const { userId, zone } = await reachWithZone(context.db, caller, user_id, tz);
    const now = context.clock();
    const rows = await compare(context.readDb, userId, { months, zone, now });
    const { hasCost } = namesOf(include);
    const data = hasCost ? await withCostOfMonths(context.readDb, rows, { userId, zone, now }) : rows;
    const format = formatOf(accepts, ['csv', 'xlsx']);
    if (format === 'json') return { user_id: userId, data };
    return tableOf(reply, format, data.map(flattened), [...COLUMNS, ...(hasCost ? COST_COLUMNS : [])]);
  },
});
