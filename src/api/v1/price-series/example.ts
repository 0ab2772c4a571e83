import { type Examples, series_id, user_id } from '../example-ids.ts';

const settings = { name: 'Day ahead, DE-LU', currency: 'EUR', resolution_minutes: 60 };
const series = { series_id, user_id, ...settings };

export const PRICE_SERIES_EXAMPLES = {
  createPriceSeries: { body: settings, answer: series },
  listPriceSeries: { answer: [series] },
  getPriceSeries: { answer: series },
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
