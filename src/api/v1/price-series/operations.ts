import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { daysField, idField, pageFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import * as shapes from '#src/api/shapes.ts';
import { period } from '#src/api/v1/energy-insights/period.ts';
import { MAX_VALIDATION_ERRORS } from '#src/api/validation-errors.ts';
import { reachOf, reachUser, reachUserId, toIdOrNotFound } from '#src/auth/access.ts';
import { asBillionths } from '#src/core/decimal.ts';
import { AppError, requireFound, unprocessable } from '#src/core/errors.ts';
import { DAY_MS } from '#src/core/units.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { findTimeErrors, packPrices, parsePriceTime } from '#src/tariffs/packed-days.ts';
import {
  createPriceSeries as create,
  findPriceSeries,
  findUsableSeries,
  listPriceSeries as list,
  deletePriceSeries as remove,
} from '#src/tariffs/price-series.ts';
import { listPrices as pricesOf, storePrices as put } from '#src/tariffs/prices.ts';
import { parsePrice } from '#src/tariffs/terms.ts';
import {
  MAX_PRICES,
  newPrices,
  newSeries,
  PRICE_COLUMNS,
  price,
  priceToWire,
  series,
  storedPrices,
  toWire,
} from './shape.ts';

export const createPriceSeries = defineOperation({
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

export const listPriceSeries = defineOperation({
  summary: 'The price series that a user can use, page by page: its own, its utility’s and those of administrators.',
  method: 'GET',
  path: '/v1/price-series',
  scope: 'tariffs:read',
  answer: z.array(series),
  query: z.object({ user_id: userIdField.optional(), ...pageFields }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => list(context.db, userId, page);
    const rows = await fetchPage(reply, url, asked, find, (one) => one.series_id);
    return rows.map(toWire);
  },
});

export const getPriceSeries = defineOperation({
  summary: 'One price series, of those that the caller can use too.',
  method: 'GET',
  path: '/v1/price-series/{series_id}',
  scope: 'tariffs:read',
  answer: series,
  params: z.object({ series_id: idField }),
  async handle({ context, caller, params }) {
    const by = { reach: reachOf(caller), userId: caller.userId };
    return toWire(requireFound(await findUsableSeries(context.db, by, toIdOrNotFound(params.series_id))));
  },
});

export const deletePriceSeries = defineOperation({
  summary: 'Removes a price series and its prices, unless a tariff uses it.',
  method: 'DELETE',
  path: '/v1/price-series/{series_id}',
  audit: { action: 'price_series.deleted', target: 'series_id' },
  scope: 'tariffs:write',
  answer: shapes.message,
  params: z.object({ series_id: idField }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), toIdOrNotFound(params.series_id)))) throw new AppError('notFound');
    return { message: `Price series ${params.series_id} was deleted` };
  },
});

export const listPrices = defineOperation({
  summary: 'The prices of a series from `start` to `end`, UTC days; without them those of today and tomorrow.',
  method: 'GET',
  path: '/v1/price-series/{series_id}/prices',
  scope: 'tariffs:read',
  answer: z.array(price),
  params: z.object({ series_id: idField }),
  query: z.object({
    start: daysField.start.describe('First day of the range, UTC. Needs `end`.'),
    end: daysField.end.describe('Last day of the range, inclusive. Needs `start`.'),
  }),
  async handle({ context, caller, params, query: { start, end } }) {
    const by = { reach: reachOf(caller), userId: caller.userId };
    const series = requireFound(await findUsableSeries(context.db, by, toIdOrNotFound(params.series_id)));
    const range = rangeOf(context, start, end);
    if ((range.to.getTime() - range.from.getTime()) / (series.resolution_minutes * 60_000) > MAX_PRICES) {
      const message = `the range makes more than ${MAX_PRICES} prices; ask for a shorter one`;
      throw unprocessable({ field: 'end', message });
    }
    return (await pricesOf(context.db, series.series_id, range)).map(priceToWire);
  },
});

function rangeOf({ clock }: ApiContext, start: string | undefined, end: string | undefined): { from: Date; to: Date } {
  const wanted = period(start, end, undefined);
  if (wanted) return dayRange(wanted.start, wanted.end, 'UTC');
  const today = Math.floor(clock().getTime() / DAY_MS) * DAY_MS;
  return { from: new Date(today), to: new Date(today + 2 * DAY_MS) };
}

export const putPrices = defineOperation({
  summary:
    'Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken.',
  method: 'PUT',
  path: '/v1/price-series/{series_id}/prices',
  audit: { action: 'price_series.priced', target: 'series_id' },
  scope: 'tariffs:write',
  answer: storedPrices,
  params: z.object({ series_id: idField }),
  body: newPrices,
  exactNumbers: true,
  csvBody: PRICE_COLUMNS,
  async handle({ context, caller, params, body, rowName }) {
    const series = requireFound(await findPriceSeries(context.db, reachOf(caller), toIdOrNotFound(params.series_id)));
    const prices = body.map(({ starts_at, per_kwh }) => ({
      startsAtMs: parsePriceTime(starts_at),
      perKwh: parsePrice(per_kwh) ?? asBillionths(0n),
    }));
    const wrong = findTimeErrors(prices, series.resolution_minutes, MAX_VALIDATION_ERRORS);
    if (wrong.length > 0) {
      throw unprocessable(...wrong.map(({ index, message }) => ({ field: `${rowName(index)}.starts_at`, message })));
    }
    await put(context.db, series.series_id, packPrices(prices, series.resolution_minutes));
    return { series_id: series.series_id, stored: prices.length };
  },
});
