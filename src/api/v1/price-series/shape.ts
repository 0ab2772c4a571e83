import { z } from 'zod';
import { currencyField, decimalField, listOf, textField, userIdField } from '#src/api/fields.ts';
import { instantShape, userId } from '#src/api/shapes.ts';
import { formatDecimal } from '#src/core/decimal.ts';
import { RESOLUTIONS_MINUTES } from '#src/database/enums.ts';
import type { TimedPrice } from '#src/tariffs/packed-days.ts';
import type { StoredSeries } from '#src/tariffs/price-series.ts';
import { type Examples, series_id, user_id } from '../example-ids.ts';

/** Maximum number of prices in one request, and in one response. */
export const MAX_PRICES = 10_000;

const MEANING = {
  name: 'What the owner calls it, such as the market that the prices are of.',
  currency: 'Currency of the prices (ISO 4217), such as `EUR`.',
  resolution_minutes: 'For how long each price holds, in minutes.',
  starts_at: 'From when on the price holds: a multiple of the resolution in UTC. It holds for the resolution only.',
};

const resolution = z.literal(RESOLUTIONS_MINUTES).describe(MEANING.resolution_minutes);
export const newSeries = z.strictObject({
  user_id: userIdField.optional(),
  name: textField(200).describe(MEANING.name),
  currency: currencyField.describe(MEANING.currency),
  resolution_minutes: resolution,
});
export const series = z
  .strictObject({
    series_id: z.string().describe('Id of the price series.'),
    user_id: userId,
    name: z.string().describe(MEANING.name),
    currency: z.string().describe(MEANING.currency),
    resolution_minutes: resolution,
  })
  .meta({ id: 'PriceSeries' });

export const PRICE_COLUMNS = ['starts_at', 'per_kwh'] as const;
export const newPrices = listOf(
  z.strictObject({
    starts_at: instantShape.describe(MEANING.starts_at),
    per_kwh: decimalField.describe('Price of a kWh. It may be negative.'),
  }),
  0,
  MAX_PRICES,
);
export const price = z
  .strictObject({
    starts_at: instantShape.describe('From when on the price holds. It holds for the resolution of the series.'),
    per_kwh: z.string().describe('Price of a kWh. A decimal with up to 9 places, as text.'),
  })
  .meta({ id: 'Price' });
export const storedPrices = z.strictObject({
  series_id: z.string().describe('Id of the price series.'),
  stored: z.number().int().describe('How many prices were stored: those of the request.'),
});

/** Converts a price series for a response. */
export const toWire = ({ series_id, user_id, name, currency, resolution_minutes }: StoredSeries) => ({
  series_id,
  user_id,
  name,
  currency,
  resolution_minutes,
});

/** Converts a price for a response. */
export const priceToWire = ({ startsAtMs, perKwh }: TimedPrice): z.output<typeof price> => ({
  starts_at: new Date(startsAtMs).toISOString(),
  per_kwh: formatDecimal(perKwh),
});

const settings = { name: 'Day ahead, DE-LU', currency: 'EUR', resolution_minutes: 60 };
const exampleSeries = { series_id, user_id, ...settings };

export const PRICE_SERIES_EXAMPLES = {
  createPriceSeries: { body: settings, answer: exampleSeries },
  listPriceSeries: { answer: [exampleSeries] },
  getPriceSeries: { answer: exampleSeries },
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
} satisfies Examples;
