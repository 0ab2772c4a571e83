import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { createPriceSeries as create } from '#src/tariffs/price-series.ts';
import { newSeries, series, toWire } from './shape.ts';

export const createPriceSeries = operation({
  summary:
    'Makes a price series, for prices that are told as they become known. That of a utility can be used by its homeowners, that of an administrator by everybody.',
  method: 'POST',
  path: '/v1/price-series',
  audit: { action: 'price_series.created', target: 'series_id' },
  scope: 'tariffs:write',
  answer: series,
  body: newSeries,
  async handle({ context, caller, body: { user_id, ...settings } }) {
    const owner = await reachUser(context.db, caller, user_id);
    return toWire(await create(context.db, { userId: owner.user_id, ...settings }));
  },
});
