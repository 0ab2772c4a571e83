import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { dayRangeFields, paginationFields, resolveRequestedDays, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { MAX_VALIDATION_ERRORS } from '#src/api/validation-errors.ts';
import { loadAccessibleUser, resolveRequestedUserId } from '#src/auth/access.ts';
import { castToBillionths } from '#src/core/decimal.ts';
import { createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { DAY_MS } from '#src/core/units.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { findPriceTimeErrors, packPrices, parsePriceTime } from '#src/tariffs/packed-days.ts';
import * as seriesStore from '#src/tariffs/price-series.ts';
import { storePrices as put, listPrices as valuesOf } from '#src/tariffs/prices.ts';
import { setSeriesSource } from '#src/tariffs/sources/store.ts';
import { parsePrice } from '#src/tariffs/terms.ts';
import { EMISSION_SERIES_KIND, PRICE_SERIES_KIND, type SeriesKindDescription } from './kinds.ts';
import { MAX_SERIES_VALUES_PER_REQUEST } from './shape.ts';
import { authorizeSource, checkSource, seriesToResponse, seriesWithSourceToResponse } from './sources.ts';

/** Defines the operations on series of one kind, except those on values. */
function defineSeriesOperations(of: SeriesKindDescription) {
  const { kind, path, noun, name, summaries, newSeries, series, createdSeries } = of;
  const createSeries = defineOperation(`POST ${path}`, {
    summary: summaries.create,
    audit: { action: `${noun}.created`, target: 'series_id' },
    scope: 'tariffs:write',
    answer: createdSeries,
    body: newSeries,
    exactNumbers: ['scale'],
    isTrial: (body) => typeof body === 'object' && body !== null && 'check' in body && body.check === true,
    async handle({ context, db, caller, body: { user_id, source, check, currency = null, ...settings } }) {
      const owner = await loadAccessibleUser(db, caller, user_id);
      const newSource = source && authorizeSource(caller, source);
      if (check) {
        if (!newSource) throw createUnprocessableError({ field: 'source', message: 'is required for a check' });
        return checkSource(context, of, { ownerId: owner.user_id, currency, ...settings }, newSource);
      }
      const made = await seriesStore.createSeries(db, { userId: owner.user_id, kind, currency, ...settings });
      if (newSource) await setSeriesSource(db, context.box, made, newSource, context.clock());
      return seriesWithSourceToResponse(db, caller, of, made);
    },
  });
  const listSeries = defineOperation(`GET ${path}`, {
    summary: summaries.list,
    scope: 'tariffs:read',
    answer: z.array(series),
    query: z.object({ user_id: userIdField.optional(), ...paginationFields }),
    async handle({ db, caller, query: { user_id }, page }) {
      const userId = await resolveRequestedUserId(db, caller, user_id);
      const rows = await page('series_id', (at) => seriesStore.listSeries(db, kind, userId, at));
      return seriesToResponse(db, caller, of, rows);
    },
  });
  const getSeries = defineOperation(`GET ${path}/{series_id}`, {
    summary: summaries.get,
    scope: 'tariffs:read',
    answer: series,
    async handle({ db, caller, reach, params }) {
      const by = { reach, userId: caller.userId };
      const found = requireFound(await seriesStore.findSeriesUsableByAccount(db, kind, by, params.series_id));
      return seriesWithSourceToResponse(db, caller, of, found);
    },
  });
  const deleteSeries = defineOperation(`DELETE ${path}/{series_id}`, {
    summary: summaries.remove,
    audit: { action: `${noun}.deleted`, target: 'series_id' },
    scope: 'tariffs:write',
    answer: shapes.messageSchema,
    handle: async ({ db, reach, params }) =>
      shapes.respondOrThrowNotFound(
        await seriesStore.deleteSeries(db, kind, reach, params.series_id),
        `${name} ${params.series_id} was deleted`,
      ),
  });
  return { createSeries, listSeries, getSeries, deleteSeries };
}

/** Defines the operations on the values of series of one kind. */
function defineValueOperations(of: SeriesKindDescription) {
  const { kind, path, values, noun, stores, summaries, columns, newValues, value, valueToResponse, storedValues } = of;
  const listValues = defineOperation(`GET ${path}/{series_id}/${values}`, {
    summary: summaries.listValues,
    scope: 'tariffs:read',
    answer: z.array(value),
    query: z.object({
      start: dayRangeFields.start.describe('First day of the range, UTC. Needs `end`.'),
      end: dayRangeFields.end.describe('Last day of the range, inclusive. Needs `start`.'),
    }),
    async handle({ context, db, caller, reach, params, query: { start, end } }) {
      const by = { reach, userId: caller.userId };
      const series = requireFound(await seriesStore.findSeriesUsableByAccount(db, kind, by, params.series_id));
      const range = rangeOf(context, start, end);
      if (
        (range.to.getTime() - range.from.getTime()) / (series.resolution_minutes * 60_000) >
        MAX_SERIES_VALUES_PER_REQUEST
      ) {
        const message = `the range has more than ${MAX_SERIES_VALUES_PER_REQUEST} ${values}; request a shorter range`;
        throw createUnprocessableError({ field: 'end', message });
      }
      return (await valuesOf(db, series.series_id, range)).map(valueToResponse);
    },
  });
  const putValues = defineOperation(`PUT ${path}/{series_id}/${values}`, {
    summary: summaries.putValues,
    audit: { action: `${noun}.${stores}`, target: 'series_id' },
    scope: 'tariffs:write',
    answer: storedValues,
    body: newValues,
    exactNumbers: true,
    csvBody: columns,
    async handle({ db, reach, params, body, rowName }) {
      const series = requireFound(await seriesStore.findSeries(db, kind, reach, params.series_id));
      const writtenPrices = body.map(({ starts_at, decimal }) => ({
        startsAtMs: parsePriceTime(starts_at),
        perKwh: parsePrice(decimal) ?? castToBillionths(0n),
      }));
      const wrong = findPriceTimeErrors(writtenPrices, series.resolution_minutes, MAX_VALIDATION_ERRORS);
      if (wrong.length > 0) {
        throw createUnprocessableError(
          ...wrong.map(({ index, message }) => ({ field: `${rowName(index)}.starts_at`, message })),
        );
      }
      await put(db, series.series_id, packPrices(writtenPrices, series.resolution_minutes));
      return { series_id: series.series_id, stored: writtenPrices.length };
    },
  });
  return { listValues, putValues };
}

function rangeOf({ clock }: ApiContext, start: string | undefined, end: string | undefined): { from: Date; to: Date } {
  const wanted = resolveRequestedDays(start, end, undefined);
  if (wanted) return createDayRange(wanted.start, wanted.end, 'UTC');
  const today = Math.floor(clock().getTime() / DAY_MS) * DAY_MS;
  return { from: new Date(today), to: new Date(today + 2 * DAY_MS) };
}

export const {
  createSeries: createPriceSeries,
  listSeries: listPriceSeries,
  getSeries: getPriceSeries,
  deleteSeries: deletePriceSeries,
} = defineSeriesOperations(PRICE_SERIES_KIND);
export const { listValues: listPrices, putValues: putPrices } = defineValueOperations(PRICE_SERIES_KIND);
export const {
  createSeries: createEmissionSeries,
  listSeries: listEmissionSeries,
  getSeries: getEmissionSeries,
  deleteSeries: deleteEmissionSeries,
} = defineSeriesOperations(EMISSION_SERIES_KIND);
export const { listValues: listIntensities, putValues: putIntensities } = defineValueOperations(EMISSION_SERIES_KIND);
