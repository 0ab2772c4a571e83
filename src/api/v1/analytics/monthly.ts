import { z } from 'zod';
import { ofUser, whole, zoneOrAccount } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { reachWithZone } from '#src/auth/access.ts';
import { monthly as compare } from '#src/energy/monthly.ts';
import { monthly as shape } from './shape.ts';

const query = z.object({
  user_id: ofUser.optional(),
  months: whole(1, 36, 12).describe('How many months, the current one included.'),
  tz: zoneOrAccount.default('UTC'),
});

export const monthlyAnalytics = operation({
  summary: 'A user’s months, each beside the one before.',
  method: 'GET',
  path: '/v1/analytics/monthly',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shape,
  query,
  async handle({ context, caller, query: { user_id, months, tz } }) {
    const { userId, zone } = await reachWithZone(context.db, caller, user_id, tz);
    return { user_id: userId, data: await compare(context.readDb, userId, { months, zone, now: context.clock() }) };
  },
});
