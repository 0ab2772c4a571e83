import { type Examples, series_id, tariff_id, user_id } from '../example-ids.ts';

const settings = {
  name: 'Hourly prices',
  valid_from: '2026-07-01',
  currency: 'EUR',
  standing_per_day: '0.41',
  import: { series_id, multiply: '1.19', add: '0.1542' },
  export: { per_kwh: '0.0803' },
};
const byClock = {
  tariff_id,
  user_id,
  name: 'Day and night',
  valid_from: '2026-01-01',
  currency: 'EUR',
  capacity: { per_kw_month: '4.35', months_averaged: 12, minimum_kw: 2.5 },
  import: {
    periods: [{ per_kwh: '0.2815', days: [1, 2, 3, 4, 5], from: '07:00', to: '22:00' }, { per_kwh: '0.1970' }],
  },
};
const tariff = { tariff_id, user_id, ...settings };

export const TARIFF_EXAMPLES = {
  createTariff: { body: settings, answer: tariff },
  listTariffs: { answer: [byClock] },
  getTariff: { answer: byClock },
  updateTariff: { body: { standing_per_day: 0.45 }, answer: { ...tariff, standing_per_day: '0.45' } },
  deleteTariff: { answer: { message: `Tariff ${tariff_id} was deleted` } },
} satisfies Examples;
