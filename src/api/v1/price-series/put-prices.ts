import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { MAX_MISTAKES } from '#src/api/mistakes.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { asBillionths } from '#src/core/decimal.ts';
import { orNotFound, unprocessable } from '#src/core/errors.ts';
import { packed, startOf, wrongTimes } from '#src/tariffs/packed-days.ts';
import { findPriceSeries } from '#src/tariffs/price-series.ts';
import { putPrices as put } from '#src/tariffs/prices.ts';
import { parsePrice } from '#src/tariffs/terms.ts';
import { newPrices, PRICE_COLUMNS, storedPrices } from './shape.ts';

export const putPrices = operation({
  summary:
    'Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken.',
  method: 'PUT',
  path: '/v1/price-series/{series_id}/prices',
  audit: { action: 'price_series.priced', target: 'series_id' },
  scope: 'tariffs:write',
  answer: storedPrices,
  params: z.object({ series_id: id }),
  body: newPrices,
  exactNumbers: true,
  csvBody: PRICE_COLUMNS,
  async handle({ context, caller, params, body, rowName }) {
    const series = orNotFound(await findPriceSeries(context.db, reachOf(caller), holdable(params.series_id)));
    const prices = body.map(({ starts_at, per_kwh }) => ({
      startsAtMs: startOf(starts_at),
      perKwh: parsePrice(per_kwh) ?? asBillionths(0n),
    }));
    const wrong = wrongTimes(prices, series.resolution_minutes, MAX_MISTAKES);
    if (wrong.length > 0) {
      throw unprocessable(...wrong.map(({ index, message }) => ({ field: `${rowName(index)}.starts_at`, message })));
    }
    await put(context.db, series.series_id, packed(prices, series.resolution_minutes));
    return { series_id: series.series_id, stored: prices.length };
  },
});
