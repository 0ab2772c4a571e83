import { z } from 'zod';
import { createBoundedArraySchema, currencyField, decimalField, textField, userIdField } from '#src/api/fields.ts';
import { instantSchema, userIdSchema } from '#src/api/shapes.ts';
import { formatDecimal } from '#src/core/decimal.ts';
import { RESOLUTIONS_MINUTES } from '#src/database/enums.ts';
import type { TimedPrice } from '#src/tariffs/packed-days.ts';
import type { StoredPriceSeries } from '#src/tariffs/price-series.ts';
import type { SourceState } from '#src/tariffs/sources/store.ts';
import { type Examples, emission_series_id, series_id, user_id } from '../example-ids.ts';
import {
  MAX_LISTED_VALUES,
  newSourceSchema,
  rejectedRowsSchema,
  sourceStateSchema,
  sourceStateToResponse,
} from './source-shape.ts';

/** Maximum number of values in one request or response. */
export const MAX_SERIES_VALUES_PER_REQUEST = 10_000;

const MEANING = {
  name: 'Name of the series, chosen by its owner, such as the name of the market.',
  nameOfEmissions: 'Name of the series, chosen by its owner, such as the name of the grid.',
  currency: 'Currency of the prices (ISO 4217), such as `EUR`.',
  resolution_minutes: 'Time for which each value applies, in minutes.',
  starts_at:
    'Start of the time for which the value applies: a multiple of the resolution in UTC. The value applies for one resolution.',
  startsAtOfAnswer:
    'Start of the time for which the value applies. The value applies for one resolution of the series.',
  stored: 'Number of values of the request that were stored.',
  source:
    'Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses.',
  check:
    'Whether to test the source only. If true, the source is fetched and nothing is stored; the response (200) contains the first values that would be stored.',
  count: 'Number of values that would be stored.',
  checked: `The first values that would be stored, up to ${MAX_LISTED_VALUES}.`,
};

const resolution_minutes = z.literal(RESOLUTIONS_MINUTES).describe(MEANING.resolution_minutes);
const newEmissionSeries = z.strictObject({
  user_id: userIdField.optional(),
  name: textField(200).describe(MEANING.nameOfEmissions),
  resolution_minutes,
  source: newSourceSchema.optional().describe(MEANING.source),
  check: z.boolean().optional().describe(MEANING.check),
});
const newSeries = newEmissionSeries.extend({
  name: textField(200).describe(MEANING.name),
  currency: currencyField.describe(MEANING.currency),
});
export const seriesSchema = z
  .strictObject({
    series_id: z.string().describe('Id of the price series.'),
    user_id: userIdSchema,
    name: z.string().describe(MEANING.name),
    currency: z.string().describe(MEANING.currency),
    resolution_minutes,
    ...sourceStateSchema,
  })
  .meta({ id: 'PriceSeries' });
const emissionSeries = z
  .strictObject({
    series_id: z.string().describe('Id of the emission series.'),
    user_id: userIdSchema,
    name: z.string().describe(MEANING.nameOfEmissions),
    resolution_minutes,
    ...sourceStateSchema,
  })
  .meta({ id: 'EmissionSeries' });

/** The members of a price or emission series that a request can change. */
export const seriesPatchSchema = z
  .strictObject({
    name: textField(200).describe('Name of the series, chosen by its owner.'),
    source: newSourceSchema
      .nullable()
      .describe(
        `${MEANING.source} Omitted tokens and headers do not change. Null removes the source; the values remain.`,
      ),
  })
  .partial();

const starts_at = instantSchema.describe(MEANING.starts_at);
const newPrice = z.strictObject({ starts_at, per_kwh: decimalField.describe('Price per kWh. It may be negative.') });
const newIntensity = z.strictObject({
  starts_at,
  grams_per_kwh: decimalField.describe('Grams of CO2 equivalent per kWh. The number may be negative.'),
});
const startsAt = instantSchema.describe(MEANING.startsAtOfAnswer);
const price = z
  .strictObject({
    starts_at: startsAt,
    per_kwh: z.string().describe('Price per kWh. A decimal with up to 9 places, as text.'),
  })
  .meta({ id: 'Price' });
const intensity = z
  .strictObject({
    starts_at: startsAt,
    grams_per_kwh: z.string().describe('Grams of CO2 equivalent per kWh. A decimal with up to 9 places, as text.'),
  })
  .meta({ id: 'Intensity' });
const stored = z.number().int().describe(MEANING.stored);
const count = z.number().int().describe(MEANING.count);
const checkedPrices = z
  .strictObject({ prices: z.array(price).describe(MEANING.checked), count, rejected: rejectedRowsSchema })
  .meta({ id: 'CheckedPrices' });
const checkedIntensities = z
  .strictObject({ intensities: z.array(intensity).describe(MEANING.checked), count, rejected: rejectedRowsSchema })
  .meta({ id: 'CheckedIntensities' });

/** A value in a request, and the time at which it begins. */
export interface TimedSeriesValue {
  starts_at: string;
  decimal: string;
}

/** Schemas and conversions for each kind of series. */
export const SCHEMAS_BY_SERIES_KIND = {
  price: {
    newSeries,
    series: seriesSchema,
    /** Response to creating a series: the new series or, if the request contains `check`, the values that it would store. */
    createdSeries: z.union([seriesSchema, checkedPrices]).meta({ id: 'CreatedPriceSeries' }),
    toResponse: priceSeriesToResponse,
    columns: ['starts_at', 'per_kwh'],
    newValues: createBoundedArraySchema(
      newPrice.transform(({ starts_at, per_kwh }): TimedSeriesValue => ({ starts_at, decimal: per_kwh })),
      0,
      MAX_SERIES_VALUES_PER_REQUEST,
    ),
    value: price,
    valueToResponse: (one: TimedPrice): z.output<typeof price> => ({
      ...startOf(one),
      per_kwh: formatDecimal(one.perKwh),
    }),
    storedValues: z.strictObject({ series_id: seriesSchema.shape.series_id, stored }),
  },
  emission: {
    newSeries: newEmissionSeries,
    series: emissionSeries,
    createdSeries: z.union([emissionSeries, checkedIntensities]).meta({ id: 'CreatedEmissionSeries' }),
    toResponse: emissionSeriesToResponse,
    columns: ['starts_at', 'grams_per_kwh'],
    newValues: createBoundedArraySchema(
      newIntensity.transform(
        ({ starts_at, grams_per_kwh }): TimedSeriesValue => ({ starts_at, decimal: grams_per_kwh }),
      ),
      0,
      MAX_SERIES_VALUES_PER_REQUEST,
    ),
    value: intensity,
    valueToResponse: (one: TimedPrice): z.output<typeof intensity> => ({
      ...startOf(one),
      grams_per_kwh: formatDecimal(one.perKwh),
    }),
    storedValues: z.strictObject({ series_id: emissionSeries.shape.series_id, stored }),
  },
} as const;

/** Converts a price series to its form in responses. `state`: state of its source, for callers that may change the series. */
export function priceSeriesToResponse(
  { currency, ...row }: StoredPriceSeries,
  state?: SourceState,
): z.output<typeof seriesSchema> {
  const { series_id, user_id, name, resolution_minutes, ...source } = emissionSeriesToResponse(row, state);
  return { series_id, user_id, name, currency: currency ?? '', resolution_minutes, ...source };
}

/** Converts an emission series to its form in responses. `state`: state of its source, for callers that may change the series. */
function emissionSeriesToResponse(
  { series_id, user_id, name, resolution_minutes }: Omit<StoredPriceSeries, 'currency'>,
  state?: SourceState,
): z.output<typeof emissionSeries> {
  return { series_id, user_id, name, resolution_minutes, ...(state && sourceStateToResponse(state)) };
}

const startOf = ({ startsAtMs }: TimedPrice) => ({ starts_at: new Date(startsAtMs).toISOString() });

const settings = { name: 'Day ahead, DE-LU', currency: 'EUR', resolution_minutes: 60 };
const exampleSeries = { series_id, user_id, ...settings };
const fetchingSeries = {
  ...exampleSeries,
  source: { preset: 'entsoe_de_lu' },
  last_fetched_at: '2026-06-15T11:15:02.318Z',
  next_fetch_at: '2026-06-15T12:15:00.000Z',
  last_error: null,
};
const emissionSettings = { name: 'Grid of Germany', resolution_minutes: 60 };
const exampleEmissionSeries = { series_id: emission_series_id, user_id, ...emissionSettings };

export const SERIES_EXAMPLES = {
  createPriceSeries: { body: settings, answer: exampleSeries },
  listPriceSeries: { answer: [exampleSeries] },
  getPriceSeries: { answer: fetchingSeries },
  updatePriceSeries: {
    body: { source: { preset: 'entsoe_de_lu', token: '9f2c1b7e-token-of-the-platform' } },
    answer: { ...fetchingSeries, last_fetched_at: null, next_fetch_at: '2026-06-15T11:15:00.000Z' },
  },
  deletePriceSeries: { answer: { message: `Price series ${series_id} was deleted` } },
  listPrices: {
    answer: [
      { starts_at: '2026-06-15T12:00:00.000Z', per_kwh: '-0.00512' },
      { starts_at: '2026-06-15T13:00:00.000Z', per_kwh: '0.01894' },
    ],
  },
  putPrices: {
    body: [
      { starts_at: '2026-06-15T12:00:00Z', per_kwh: '-0.00512' },
      { starts_at: '2026-06-15T15:00:00+02:00', per_kwh: 0.01894 },
    ],
    csvBody: 'starts_at,per_kwh\n2026-06-15T12:00:00Z,-0.00512\n2026-06-15T15:00:00+02:00,0.01894\n',
    answer: { series_id, stored: 2 },
  },
  deletePrices: {
    answer: { message: `Price series ${series_id}: the uploaded prices of these times were deleted` },
  },
  createEmissionSeries: { body: emissionSettings, answer: exampleEmissionSeries },
  listEmissionSeries: { answer: [exampleEmissionSeries] },
  getEmissionSeries: { answer: exampleEmissionSeries },
  updateEmissionSeries: {
    body: { name: 'Grid of Germany, from our own model' },
    answer: { ...exampleEmissionSeries, name: 'Grid of Germany, from our own model' },
  },
  deleteEmissionSeries: { answer: { message: `Emission series ${emission_series_id} was deleted` } },
  listIntensities: {
    answer: [
      { starts_at: '2026-06-15T12:00:00.000Z', grams_per_kwh: '212.4' },
      { starts_at: '2026-06-15T13:00:00.000Z', grams_per_kwh: '237' },
    ],
  },
  putIntensities: {
    body: [
      { starts_at: '2026-06-15T12:00:00Z', grams_per_kwh: '212.4' },
      { starts_at: '2026-06-15T15:00:00+02:00', grams_per_kwh: 237 },
    ],
    csvBody: 'starts_at,grams_per_kwh\n2026-06-15T12:00:00Z,212.4\n2026-06-15T15:00:00+02:00,237\n',
    answer: { series_id: emission_series_id, stored: 2 },
  },
  deleteIntensities: {
    answer: {
      message: `Emission series ${emission_series_id}: the uploaded intensities of these times were deleted`,
    },
  },
} satisfies Examples;
