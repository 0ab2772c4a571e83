import { z } from 'zod';
import { usableSeries } from '#src/api/dashboard/shapes.ts';
import { pageFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import { toWire } from '#src/api/v1/series/shape.ts';
import { reachUserId } from '#src/auth/access.ts';
import { listSeries } from '#src/tariffs/price-series.ts';
import { summarisePrices } from '#src/tariffs/prices.ts';

export const listUsablePriceSeries = defineOperation({
  summary: 'The price series that a user can use, with how many prices each has and until when, page by page.',
  method: 'GET',
  path: '/v1/usable-series',
  scope: 'tariffs:read',
  answer: z.array(usableSeries),
  query: z.object({ user_id: userIdField.optional(), ...pageFields }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => listSeries(context.db, 'price', userId, page);
    const rows = await fetchPage(reply, url, asked, find, (one) => one.series_id);
    const ids = rows.map(({ series_id }) => series_id);
    const known = await summarisePrices(context.db, ids);
    return rows.map((row) => {
      const { count = 0, until } = known.get(row.series_id) ?? {};
      return { ...toWire(row), prices: count, until: until?.toISOString() ?? null };
    });
  },
});
