import { z } from 'zod';
import { id, ofUser, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { formatOf } from '#src/api/tables/accept.ts';
import { tableOf } from '#src/api/tables/table.ts';
import { holdable, reachOf, reachUserId } from '#src/auth/access.ts';
import { listBillPeriods as list } from '#src/billing/store.ts';
import { billPeriod, toWire } from './shape.ts';

export const listBillPeriods = operation({
  summary: 'The bill periods of a user with what was told of them last, page by page.',
  method: 'GET',
  path: '/v1/bill-periods',
  scope: 'insights:read',
  answer: z.array(billPeriod),
  formats: ['csv', 'xlsx'],
  query: z.object({
    user_id: ofUser.optional(),
    device_id: id.optional().describe('Only those of this device. Default: all of the user.'),
    ...page,
  }),
  async handle({ context, caller, query: { user_id, device_id, ...asked }, accepts, reply, url }) {
    const format = formatOf(accepts, ['csv', 'xlsx']);
    const userId = await reachUserId(context.db, caller, user_id);
    const of = { userId, deviceId: device_id === undefined ? undefined : holdable(device_id) };
    const find = (page: { limit: number; cursor?: string }) => list(context.db, reachOf(caller), of, page);
    const found = await pageOf(reply, url, asked, find, ({ period }) => period.bill_period_id);
    const rows = found.map(({ period, last }) => toWire(period, last));
    return format === 'json' ? rows : tableOf(reply, format, rows, Object.keys(billPeriod.shape));
  },
});
