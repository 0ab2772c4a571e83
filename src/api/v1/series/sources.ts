import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { instantOrDateField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { getAccessibleAccounts } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { findSeries, type StoredPriceSeries, updateSeries as update } from '#src/tariffs/price-series.ts';
import { removePricesInRange } from '#src/tariffs/prices.ts';
import { reserveFetchFromHost } from '#src/tariffs/sources/fetch-due.ts';
import {
  findSourceErrors,
  getSourceHost,
  getSourceRequest,
  parseSourceResponse,
} from '#src/tariffs/sources/read-source.ts';
import { getSeriesUnitAndResolution } from '#src/tariffs/sources/source.ts';
import {
  deleteSeriesSource,
  readSeriesSources,
  recordSourceCheck,
  type SourceWithSecrets,
  setSeriesSource,
} from '#src/tariffs/sources/store.ts';
import { EMISSION_SERIES_KIND, PRICE_SERIES_KIND, type SeriesKindDescription } from './kinds.ts';
import { seriesPatchSchema } from './shape.ts';
import { MAX_LISTED_VALUES, type newSourceSchema, separateSourceSecrets } from './source-shape.ts';

/** Maximum number of sources that a process checks at the same time, because each may need 5 MiB of memory. */
const MAX_CHECKS_AT_ONCE = 4;
/** Number of attempts to fetch a source, and pause between them in ms, while the host is busy with another fetch. */
const HOST_WAIT = { tries: 5, everyMs: 1_000 };
let checks = 0;

/** Converts several series to their form in responses. For series that the caller may change, the response includes their sources. */
export async function seriesToResponse(
  db: Database,
  caller: Caller,
  { toResponse }: SeriesKindDescription,
  rows: readonly StoredPriceSeries[],
): Promise<object[]> {
  const sources = await readSeriesSources(
    db,
    getAccessibleAccounts(caller),
    rows.map(({ series_id }) => series_id),
  );
  return rows.map((row) => toResponse(row, sources.get(row.series_id)));
}

/** Converts a series to its form in responses, with its source if the caller may change the series. */
export async function seriesWithSourceToResponse(
  db: Database,
  caller: Caller,
  { toResponse }: SeriesKindDescription,
  row: StoredPriceSeries,
): Promise<object> {
  return toResponse(
    row,
    (await readSeriesSources(db, getAccessibleAccounts(caller), [row.series_id])).get(row.series_id),
  );
}

/**
 * Returns the source in a request, with its secrets separated. Throws 403 for a homeowner who names a URL instead of a predefined
 * source.
 */
export function authorizeSource({ role }: Caller, given: z.output<typeof newSourceSchema>): SourceWithSecrets {
  if (role === 'homeowner' && 'url' in given) throw new AppError('ownAddresses');
  return separateSourceSecrets(given);
}

/** Fetches a source, and returns the first values that would be stored. Throws 422 if there are none. */
export async function checkSource(
  { db, clock, fetchAnswer }: ApiContext,
  { values, valueToResponse }: SeriesKindDescription,
  { ownerId, ...series }: { ownerId: string } & Pick<StoredPriceSeries, 'currency' | 'resolution_minutes'>,
  { source, secrets }: SourceWithSecrets,
): Promise<object> {
  const form = getSeriesUnitAndResolution(series);
  const [first, ...rest] = findSourceErrors(source, secrets, form);
  if (first) throw createUnprocessableError(first, ...rest);
  if (!fetchAnswer || checks >= MAX_CHECKS_AT_ONCE) throw new AppError('unavailable');
  checks++;
  try {
    await recordSourceCheck(db, ownerId, clock());
    await waitForHost(db, getSourceHost(source));
    const answer = await fetchAnswer(getSourceRequest(source, secrets, clock()));
    const read = 'failure' in answer ? answer : await parseSourceResponse(answer.text, source, form);
    if ('failure' in read) throw createUnprocessableError({ field: 'source', message: read.failure });
    return {
      [values]: read.prices.slice(0, MAX_LISTED_VALUES).map(valueToResponse),
      count: read.prices.length,
      rejected: read.problems.slice(0, MAX_LISTED_VALUES),
    };
  } finally {
    checks--;
  }
}

async function waitForHost(db: Database, host: string): Promise<void> {
  for (let tries = 0; tries < HOST_WAIT.tries; tries++) {
    if (await reserveFetchFromHost(db, host)) return;
    await setTimeout(HOST_WAIT.everyMs);
  }
  throw new AppError('unavailable');
}

/** Defines two operations for a kind of series: changing a series, and removing values that were stored by PUT. */
function defineSourceOperations(of: SeriesKindDescription) {
  const { kind, path, values, noun, removes, name: nameOfKind, summaries, series } = of;
  const updateSeries = defineOperation(`PATCH ${path}/{series_id}`, {
    summary: summaries.update,
    audit: { action: `${noun}.updated`, target: 'series_id' },
    scope: 'tariffs:write',
    answer: series,
    body: seriesPatchSchema,
    exactNumbers: ['scale'],
    async handle({ context: { box, clock }, db, caller, reach, params, body: { name, source } }) {
      const updated = requireFound(await update(db, kind, reach, params.series_id, { name }));
      const authorizedSource = source && authorizeSource(caller, source);
      if (authorizedSource) await setSeriesSource(db, box, updated, authorizedSource, clock());
      if (authorizedSource === null) await deleteSeriesSource(db, updated.series_id);
      return seriesWithSourceToResponse(db, caller, of, updated);
    },
  });
  const deleteValues = defineOperation(`DELETE ${path}/{series_id}/${values}`, {
    summary: summaries.removeValues,
    audit: { action: `${noun}.${removes}`, target: 'series_id' },
    scope: 'tariffs:write',
    answer: shapes.messageSchema,
    query: z.object({
      from: instantOrDateField.describe('Start of the range, inclusive: an instant (ISO 8601), or a date (UTC).'),
      to: instantOrDateField.describe('End of the range, exclusive: an instant (ISO 8601), or a date (UTC).'),
    }),
    async handle({ db, reach, params, query: range }) {
      const { series_id } = requireFound(await findSeries(db, kind, reach, params.series_id));
      if (range.to <= range.from) throw createUnprocessableError({ field: 'to', message: 'must be later than from' });
      await removePricesInRange(db, series_id, range);
      return { message: `${nameOfKind} ${series_id}: the uploaded ${values} of these times were deleted` };
    },
  });
  return { updateSeries, deleteValues };
}

export const { updateSeries: updatePriceSeries, deleteValues: deletePrices } =
  defineSourceOperations(PRICE_SERIES_KIND);
export const { updateSeries: updateEmissionSeries, deleteValues: deleteIntensities } =
  defineSourceOperations(EMISSION_SERIES_KIND);
