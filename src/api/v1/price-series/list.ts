import { z } from 'zod';
import { ofUser, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachUserId } from '#src/auth/access.ts';
import { listPriceSeries as list } from '#src/tariffs/price-series.ts';
import { series, toWire } from './shape.ts';

export const listPriceSeries = operation({
  summary: 'The price series that a user can use, page by page: its own, its utility’s and those of administrators.',
  method: 'GET',
  path: '/v1/price-series',
  scope: 'tariffs:read',
  answer: z.array(series),
  query: z.object({ user_id: ofUser.optional(), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => list(context.db, userId, page);
    const rows = await pageOf(reply, url, asked, find, (one) => one.series_id);
    return rows.map(toWire);
  },
});
