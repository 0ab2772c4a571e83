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
import { findTimeErrors, packPrices, parsePriceTime, type TimedPrice } from '#src/tariffs/packed-days.ts';
import {
  createSeries as create,
  findSeries,
  findUsableSeries,
  listSeries as list,
  deleteSeries as remove,
  type SeriesKind,
  type StoredSeries,
} from '#src/tariffs/price-series.ts';
import { storePrices as put, listPrices as valuesOf } from '#src/tariffs/prices.ts';
import { parsePrice } from '#src/tariffs/terms.ts';
import { MAX_VALUES, SERIES_SHAPES, type WrittenValue } from './shape.ts';

/** Operations on the series of a kind: its schemas, and its words in paths, summaries and the audit log. */
interface SeriesInterface {
  kind: SeriesKind;
  path: `/v1/${string}`;
  /** Last segment of the path of the values. */
  values: string;
  /** Start of the actions in the audit log, and the action that stores values. */
  noun: string;
  stores: string;
  /** Name of a series in the message of its deletion. */
  name: string;
  summaries: { create: string; list: string; get: string; remove: string; listValues: string; putValues: string };
  newSeries: z.ZodType<
    { user_id?: string | undefined; currency?: string } & Pick<StoredSeries, 'name' | 'resolution_minutes'>
  >;
  series: z.ZodType<object>;
  toWire(row: StoredSeries): object;
  columns: readonly string[];
  newValues: z.ZodType<WrittenValue[]>;
  value: z.ZodType<object>;
  valueToWire(value: TimedPrice): object;
  storedValues: z.ZodType<{ series_id: string; stored: number }>;
}

const params = z.object({ series_id: idField });

const PRICE_SERIES: SeriesInterface = {
  ...SERIES_SHAPES.price,
  kind: 'price',
  path: '/v1/price-series',
  values: 'prices',
  noun: 'price_series',
  stores: 'priced',
  name: 'Price series',
  summaries: {
    create:
      'Makes a price series, for prices that are told as they become known. That of a utility can be used by its homeowners, that of an administrator by everybody.',
    list: 'The price series that a user can use, page by page: its own, its utility’s and those of administrators.',
    get: 'One price series, of those that the caller can use too.',
    remove: 'Removes a price series and its prices, unless a tariff uses it.',
    listValues: 'The prices of a series from `start` to `end`, UTC days; without them those of today and tomorrow.',
    putValues:
      'Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken.',
  },
};

const EMISSION_SERIES: SeriesInterface = {
  ...SERIES_SHAPES.emission,
  kind: 'emission',
  path: '/v1/emission-series',
  values: 'intensities',
  noun: 'emission_series',
  stores: 'filled',
  name: 'Emission series',
  summaries: {
    create:
      'Creates an emission series: how many grams of CO2 equivalent a kWh of the grid causes. A utility’s series can be used by its homeowners, an administrator’s by everybody.',
    list: 'The emission series that a user can use, page by page: its own, its utility’s and those of administrators.',
    get: 'One emission series, of those that the caller can use too.',
    remove: 'Removes an emission series and its intensities, unless a user has it.',
    listValues:
      'The intensities of a series from `start` to `end`, UTC days; without them those of today and tomorrow.',
    putValues:
      'Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity of the same time is replaced; the others stay. Of a body with an error nothing is stored.',
  },
};

/** Defines the operations on the series of a kind themselves. */
function defineSeriesOperations({ kind, path, noun, name, summaries, newSeries, series, toWire }: SeriesInterface) {
  const createSeries = defineOperation({
    summary: summaries.create,
    method: 'POST',
    path,
    audit: { action: `${noun}.created`, target: 'series_id' },
    scope: 'tariffs:write',
    answer: series,
    body: newSeries,
    async handle({ context, caller, body: { user_id, currency = null, ...settings } }) {
      const owner = await reachUser(context.db, caller, user_id);
      return toWire(await create(context.db, { userId: owner.user_id, kind, currency, ...settings }));
    },
  });
  const listSeries = defineOperation({
    summary: summaries.list,
    method: 'GET',
    path,
    scope: 'tariffs:read',
    answer: z.array(series),
    query: z.object({ user_id: userIdField.optional(), ...pageFields }),
    async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
      const userId = await reachUserId(context.db, caller, user_id);
      const find = (page: { limit: number; cursor?: string }) => list(context.db, kind, userId, page);
      const rows = await fetchPage(reply, url, asked, find, (one) => one.series_id);
      return rows.map(toWire);
    },
  });
  const getSeries = defineOperation({
    summary: summaries.get,
    method: 'GET',
    path: `${path}/{series_id}`,
    scope: 'tariffs:read',
    answer: series,
    params,
    async handle({ context, caller, params }) {
      const by = { reach: reachOf(caller), userId: caller.userId };
      return toWire(requireFound(await findUsableSeries(context.db, kind, by, toIdOrNotFound(params.series_id))));
    },
  });
  const deleteSeries = defineOperation({
    summary: summaries.remove,
    method: 'DELETE',
    path: `${path}/{series_id}`,
    audit: { action: `${noun}.deleted`, target: 'series_id' },
    scope: 'tariffs:write',
    answer: shapes.message,
    params,
    async handle({ context, caller, params }) {
      if (!(await remove(context.db, kind, reachOf(caller), toIdOrNotFound(params.series_id))))
        throw new AppError('notFound');
      return { message: `${name} ${params.series_id} was deleted` };
    },
  });
  return { createSeries, listSeries, getSeries, deleteSeries };
}

/** Defines the operations on the values of the series of a kind. */
function defineValueOperations(of: SeriesInterface) {
  const { kind, path, values, noun, stores, summaries, columns, newValues, value, valueToWire, storedValues } = of;
  const listValues = defineOperation({
    summary: summaries.listValues,
    method: 'GET',
    path: `${path}/{series_id}/${values}`,
    scope: 'tariffs:read',
    answer: z.array(value),
    params,
    query: z.object({
      start: daysField.start.describe('First day of the range, UTC. Needs `end`.'),
      end: daysField.end.describe('Last day of the range, inclusive. Needs `start`.'),
    }),
    async handle({ context, caller, params, query: { start, end } }) {
      const by = { reach: reachOf(caller), userId: caller.userId };
      const series = requireFound(await findUsableSeries(context.db, kind, by, toIdOrNotFound(params.series_id)));
      const range = rangeOf(context, start, end);
      if ((range.to.getTime() - range.from.getTime()) / (series.resolution_minutes * 60_000) > MAX_VALUES) {
        const message = `the range makes more than ${MAX_VALUES} ${values}; ask for a shorter one`;
        throw unprocessable({ field: 'end', message });
      }
      return (await valuesOf(context.db, series.series_id, range)).map(valueToWire);
    },
  });
  const putValues = defineOperation({
    summary: summaries.putValues,
    method: 'PUT',
    path: `${path}/{series_id}/${values}`,
    audit: { action: `${noun}.${stores}`, target: 'series_id' },
    scope: 'tariffs:write',
    answer: storedValues,
    params,
    body: newValues,
    exactNumbers: true,
    csvBody: columns,
    async handle({ context, caller, params, body, rowName }) {
      const reach = reachOf(caller);
      const series = requireFound(await findSeries(context.db, kind, reach, toIdOrNotFound(params.series_id)));
      const told = body.map(({ starts_at, decimal }) => ({
        startsAtMs: parsePriceTime(starts_at),
        perKwh: parsePrice(decimal) ?? asBillionths(0n),
      }));
      const wrong = findTimeErrors(told, series.resolution_minutes, MAX_VALIDATION_ERRORS);
      if (wrong.length > 0) {
        throw unprocessable(...wrong.map(({ index, message }) => ({ field: `${rowName(index)}.starts_at`, message })));
      }
      await put(context.db, series.series_id, packPrices(told, series.resolution_minutes));
      return { series_id: series.series_id, stored: told.length };
    },
  });
  return { listValues, putValues };
}

function rangeOf({ clock }: ApiContext, start: string | undefined, end: string | undefined): { from: Date; to: Date } {
  const wanted = period(start, end, undefined);
  if (wanted) return dayRange(wanted.start, wanted.end, 'UTC');
  const today = Math.floor(clock().getTime() / DAY_MS) * DAY_MS;
  return { from: new Date(today), to: new Date(today + 2 * DAY_MS) };
}

export const {
  createSeries: createPriceSeries,
  listSeries: listPriceSeries,
  getSeries: getPriceSeries,
  deleteSeries: deletePriceSeries,
} = defineSeriesOperations(PRICE_SERIES);
export const { listValues: listPrices, putValues: putPrices } = defineValueOperations(PRICE_SERIES);
export const {
  createSeries: createEmissionSeries,
  listSeries: listEmissionSeries,
  getSeries: getEmissionSeries,
  deleteSeries: deleteEmissionSeries,
} = defineSeriesOperations(EMISSION_SERIES);
export const { listValues: listIntensities, putValues: putIntensities } = defineValueOperations(EMISSION_SERIES);
