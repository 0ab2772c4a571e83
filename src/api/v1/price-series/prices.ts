import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { days, id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { period } from '#src/api/v1/energy-insights/period.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound, unprocessable } from '#src/core/errors.ts';
import { DAY_MS } from '#src/core/units.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { findUsableSeries } from '#src/tariffs/price-series.ts';
import { listPrices as list } from '#src/tariffs/prices.ts';
import { MAX_PRICES, price, priceToWire } from './shape.ts';

export const listPrices = operation({
  summary: 'The prices of a series from `start` to `end`, UTC days; without them those of today and tomorrow.',
  method: 'GET',
  path: '/v1/price-series/{series_id}/prices',
  scope: 'tariffs:read',
  answer: z.array(price),
  params: z.object({ series_id: id }),
  query: z.object({
    start: days.start.describe('First day of the range, UTC. Needs `end`.'),
    end: days.end.describe('Last day of the range, inclusive. Needs `start`.'),
  }),
  async handle({ context, caller, params, query: { start, end } }) {
    const by = { reach: reachOf(caller), userId: caller.userId };
    const series = orNotFound(await findUsableSeries(context.db, by, holdable(params.series_id)));
    const range = rangeOf(context, start, end);
    if ((range.to.getTime() - range.from.getTime()) / (series.resolution_minutes * 60_000) > MAX_PRICES) {
      const message = `the range makes more than ${MAX_PRICES} prices; ask for a shorter one`;
      throw unprocessable({ field: 'end', message });
    }
    return (await list(context.db, series.series_id, range)).map(priceToWire);
  },
});

function rangeOf({ clock }: ApiContext, start: string | undefined, end: string | undefined): { from: Date; to: Date } {
  const wanted = period(start, end, undefined);
  if (wanted) return dayRange(wanted.start, wanted.end, 'UTC');
  const today = Math.floor(clock().getTime() / DAY_MS) * DAY_MS;
  return { from: new Date(today), to: new Date(today + 2 * DAY_MS) };
}
