import type { Words } from '../../words/words.ts';

type Templates = Words['tariffs']['templates'];

/**
 * Templates of tariffs that are usual in some countries. The user enters the prices that differ between suppliers. Times, taxes and minimum
 * prices are those of 2026.
 */
export interface TariffTemplate {
  /** Country code (ISO 3166-1 alpha-2). */
  country: string;
  currency: string;
  /** Key in `words/` of the template's name. */
  name: keyof Templates['names'];
  /** Keys in `words/` of the notes that the form shows for this template. */
  note?: readonly (keyof Templates['notes'])[];
  /** Members of POST /v1/tariffs. Values that the user must enter (prices of a supplier, id of a price series) are empty text. */
  terms: {
    standing_per_day?: string;
    capacity?: { per_kw_month: string; months_averaged?: number; minimum_kw?: number };
    import: Rates;
    export?: Rates;
  };
}

type Rates =
  | { per_kwh: string }
  | { periods: { per_kwh: string; days?: number[]; from?: string; to?: string; months?: number[] }[] }
  | { series_id: string; multiply?: string; add?: string };

const PRICE = '';
const WEEKDAYS = [1, 2, 3, 4, 5];
const WEEKEND = [6, 7];
const WINTER = [1, 2, 3, 10, 11, 12];

const flat = { per_kwh: PRICE };
const standing = { standing_per_day: PRICE };
/** Returns rates with one price for a time of day on some weekdays, and another price otherwise. */
const peak = (from: string, to: string, days?: number[]): Rates => ({
  periods: [{ per_kwh: PRICE, ...(days ? { days } : {}), from, to }, { per_kwh: PRICE }],
});
/** Returns rates by a market price, plus surcharges. `multiply`: factor for the market price, to include tax. */
const market = (multiply: string): Rates => ({ series_id: '', multiply, add: PRICE });

const of = (country: string, currency: string, forms: readonly Omit<TariffTemplate, 'country' | 'currency'>[]) =>
  forms.map((form): TariffTemplate => ({ country, currency, ...form }));

export const TARIFF_TEMPLATES: readonly TariffTemplate[] = [
  ...of('DE', 'EUR', [
    { name: 'deFixed', terms: { ...standing, import: flat, export: flat } },
    { name: 'deDayNight', terms: { ...standing, import: peak('06:00', '22:00'), export: flat } },
    {
      name: 'deDynamic',
      note: ['perMwh', 'inAdd'],
      terms: { ...standing, import: market('1.19'), export: flat },
    },
  ]),
  ...of('NL', 'EUR', [
    {
      name: 'nlSingle',
      note: ['energyTax'],
      terms: { ...standing, import: flat, export: flat },
    },
    {
      name: 'nlPeak',
      terms: { ...standing, import: peak('07:00', '23:00', WEEKDAYS), export: peak('07:00', '23:00', WEEKDAYS) },
    },
    {
      name: 'nlDynamic',
      note: ['perMwh', 'inAdd'],
      terms: { ...standing, import: market('1.21'), export: market('1') },
    },
  ]),
  ...of('BE', 'EUR', [
    {
      name: 'beSingle',
      note: ['capacityOfYear'],
      terms: {
        ...standing,
        capacity: { per_kw_month: PRICE, months_averaged: 12, minimum_kw: 2.5 },
        import: flat,
        export: flat,
      },
    },
    {
      name: 'beDynamic',
      note: ['capacityOfYear', 'perMwh', 'inAdd'],
      terms: {
        ...standing,
        capacity: { per_kw_month: PRICE, months_averaged: 12, minimum_kw: 2.5 },
        import: market('1.06'),
        export: market('1'),
      },
    },
    {
      name: 'beDayNight',
      terms: { ...standing, import: peak('07:00', '22:00', WEEKDAYS), export: flat },
    },
  ]),
  ...of('FR', 'EUR', [
    { name: 'frBase', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'frPeak',
      note: ['hoursOfBill'],
      terms: { ...standing, import: peak('06:00', '22:00'), export: flat },
    },
  ]),
  ...of('ES', 'EUR', [
    {
      name: 'esPeriods',
      note: ['contractedPower'],
      terms: {
        ...standing,
        import: {
          periods: [
            { per_kwh: PRICE, days: WEEKEND },
            { per_kwh: PRICE, from: '00:00', to: '08:00' },
            { per_kwh: PRICE, from: '10:00', to: '14:00' },
            { per_kwh: PRICE, from: '18:00', to: '22:00' },
            { per_kwh: PRICE },
          ],
        },
        export: flat,
      },
    },
    {
      name: 'esHourly',
      note: ['perMwh', 'gridInPrices'],
      terms: { ...standing, import: { series_id: '', multiply: PRICE }, export: { series_id: '' } },
    },
  ]),
  ...of('IT', 'EUR', [
    { name: 'itSingle', terms: { ...standing, import: flat, export: flat } },
    { name: 'itTwo', terms: { ...standing, import: peak('08:00', '19:00', WEEKDAYS) } },
    {
      name: 'itThree',
      terms: {
        ...standing,
        import: {
          periods: [
            { per_kwh: PRICE, days: WEEKDAYS, from: '08:00', to: '19:00' },
            { per_kwh: PRICE, days: WEEKDAYS, from: '07:00', to: '23:00' },
            { per_kwh: PRICE, days: [6], from: '07:00', to: '23:00' },
            { per_kwh: PRICE },
          ],
        },
      },
    },
  ]),
  ...of('SE', 'SEK', [
    { name: 'seFixed', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'seHourly',
      note: ['perMwh', 'inAdd', 'meanOfPeaks'],
      terms: { ...standing, capacity: { per_kw_month: PRICE }, import: market('1.25'), export: market('1') },
    },
  ]),
  ...of('NO', 'NOK', [
    { name: 'noFixed', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'noSpot',
      note: ['perMwh', 'inAdd'],
      terms: { ...standing, import: market('1.25'), export: market('1') },
    },
  ]),
  ...of('DK', 'DKK', [
    {
      name: 'dkFixed',
      terms: {
        ...standing,
        import: {
          periods: [
            { per_kwh: PRICE, from: '00:00', to: '06:00' },
            { per_kwh: PRICE, from: '17:00', to: '21:00', months: WINTER },
            { per_kwh: PRICE, from: '17:00', to: '21:00' },
            { per_kwh: PRICE },
          ],
        },
        export: flat,
      },
    },
    {
      name: 'dkHourly',
      note: ['perMwh', 'gridOfHour'],
      terms: { ...standing, import: market('1.25'), export: market('1') },
    },
  ]),
  ...of('PL', 'PLN', [
    { name: 'plSingle', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'plDayNight',
      terms: {
        ...standing,
        import: {
          periods: [
            { per_kwh: PRICE, from: '22:00', to: '06:00' },
            { per_kwh: PRICE, from: '13:00', to: '15:00' },
            { per_kwh: PRICE },
          ],
        },
      },
    },
    {
      name: 'plWeekend',
      terms: {
        ...standing,
        import: {
          periods: [
            { per_kwh: PRICE, days: WEEKEND },
            { per_kwh: PRICE, from: '22:00', to: '06:00' },
            { per_kwh: PRICE, from: '13:00', to: '15:00' },
            { per_kwh: PRICE },
          ],
        },
      },
    },
  ]),
  ...of('GB', 'GBP', [
    { name: 'gbSingle', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'gbEconomy7',
      note: ['sevenHours'],
      terms: { ...standing, import: peak('00:30', '07:30'), export: flat },
    },
    {
      name: 'gbHalfHourly',
      note: ['halfHours'],
      terms: { ...standing, import: { series_id: '' }, export: { series_id: '' } },
    },
  ]),
  ...of('AU', 'AUD', [
    { name: 'auSingle', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'auTimeOfUse',
      note: ['windowOfGrid'],
      terms: { ...standing, capacity: { per_kw_month: PRICE }, import: peak('15:00', '21:00'), export: flat },
    },
  ]),
];
