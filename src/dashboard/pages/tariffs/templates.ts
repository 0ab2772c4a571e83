/**
 * Forms of tariffs that are usual in some countries, to start from. They have no prices of anybody: what a supplier sets is empty text, for
 * the owner to fill in; times, taxes and floors that law or custom sets are there, and may have changed since (2026).
 */
export interface TariffTemplate {
  /** ISO 3166. */
  country: string;
  currency: string;
  /** What it is called, in English and as bills call it. */
  name: string;
  /** What to know before it is filled in: sentences. */
  note?: readonly string[];
  /** Members of POST /v1/tariffs. Prices and the id of a series are empty text. */
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
/** One price between two times, on some days, and another one otherwise. */
const peak = (from: string, to: string, days?: number[]): Rates => ({
  periods: [{ per_kwh: PRICE, ...(days ? { days } : {}), from, to }, { per_kwh: PRICE }],
});
/** The price of a market with what is added for grid, levies and supplier; `multiply`: the tax on it. */
const market = (multiply: string): Rates => ({ series_id: '', multiply, add: PRICE });
const IN_ADD = 'What the supplier, the grid and levies take for a kWh goes into add, with the tax on it.';
const PER_MWH = 'Markets tell prices for a MWh: divide them by 1,000 before they are sent.';

const of = (country: string, currency: string, forms: readonly Omit<TariffTemplate, 'country' | 'currency'>[]) =>
  forms.map((form): TariffTemplate => ({ country, currency, ...form }));

export const TARIFF_TEMPLATES: readonly TariffTemplate[] = [
  ...of('DE', 'EUR', [
    { name: 'Fixed price (Grundpreis und Arbeitspreis)', terms: { ...standing, import: flat, export: flat } },
    { name: 'Day and night (HT/NT)', terms: { ...standing, import: peak('06:00', '22:00'), export: flat } },
    {
      name: 'Dynamic (Börsenpreis)',
      note: [PER_MWH, IN_ADD],
      terms: { ...standing, import: market('1.19'), export: flat },
    },
  ]),
  ...of('NL', 'EUR', [
    {
      name: 'Single rate (enkeltarief)',
      note: [
        'The reduction of the energy tax (vermindering energiebelasting) makes the standing charge less, perhaps negative.',
      ],
      terms: { ...standing, import: flat, export: flat },
    },
    {
      name: 'Peak and off-peak (dubbeltarief)',
      terms: { ...standing, import: peak('07:00', '23:00', WEEKDAYS), export: peak('07:00', '23:00', WEEKDAYS) },
    },
    {
      name: 'Dynamic (dynamisch contract)',
      note: [PER_MWH, IN_ADD],
      terms: { ...standing, import: market('1.21'), export: market('1') },
    },
  ]),
  ...of('BE', 'EUR', [
    {
      name: 'Flanders, single rate (enkelvoudig) with the capacity tariff',
      note: ['The capacity tariff (capaciteitstarief) is told for a year: divide it by 12.'],
      terms: {
        ...standing,
        capacity: { per_kw_month: PRICE, months_averaged: 12, minimum_kw: 2.5 },
        import: flat,
        export: flat,
      },
    },
    {
      name: 'Flanders, dynamic with the capacity tariff',
      note: ['The capacity tariff (capaciteitstarief) is told for a year: divide it by 12.', PER_MWH, IN_ADD],
      terms: {
        ...standing,
        capacity: { per_kw_month: PRICE, months_averaged: 12, minimum_kw: 2.5 },
        import: market('1.06'),
        export: market('1'),
      },
    },
    {
      name: 'Brussels and Wallonia, day and night (bihoraire)',
      terms: { ...standing, import: peak('07:00', '22:00', WEEKDAYS), export: flat },
    },
  ]),
  ...of('FR', 'EUR', [
    { name: 'Base (abonnement et prix du kWh)', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'Peak and off-peak (heures pleines, heures creuses)',
      note: ['The hours of each home are on its bill: change the times to those.'],
      terms: { ...standing, import: peak('06:00', '22:00'), export: flat },
    },
  ]),
  ...of('ES', 'EUR', [
    {
      name: 'Fixed price by three periods (punta, llano, valle)',
      note: ['The charge for contracted power goes into the standing charge.'],
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
      name: 'Hourly (PVPC)',
      note: [PER_MWH, 'Prices of PVPC have the grid in them. Multiply is for the taxes.'],
      terms: { ...standing, import: { series_id: '', multiply: PRICE }, export: { series_id: '' } },
    },
  ]),
  ...of('IT', 'EUR', [
    { name: 'Single rate (monoraria)', terms: { ...standing, import: flat, export: flat } },
    { name: 'Two rates (bioraria, F1 and F23)', terms: { ...standing, import: peak('08:00', '19:00', WEEKDAYS) } },
    {
      name: 'Three rates (F1, F2, F3)',
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
    { name: 'Fixed price (fast pris)', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'By the hour (spotpris) with a power charge (effektavgift)',
      note: [PER_MWH, IN_ADD, 'The highest quarter-hour stands for the mean of peaks that some grids take.'],
      terms: { ...standing, capacity: { per_kw_month: PRICE }, import: market('1.25'), export: market('1') },
    },
  ]),
  ...of('NO', 'NOK', [
    { name: 'Fixed price (Norgespris)', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'Spot price (spotpris)',
      note: [PER_MWH, IN_ADD],
      terms: { ...standing, import: market('1.25'), export: market('1') },
    },
  ]),
  ...of('DK', 'DKK', [
    {
      name: 'Fixed price with the grid’s tariff of the hour (tidsafregnet nettarif)',
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
      name: 'Hourly (timeafregnet)',
      note: [PER_MWH, 'The grid’s tariff of each hour is best added to the prices of the series.'],
      terms: { ...standing, import: market('1.25'), export: market('1') },
    },
  ]),
  ...of('PL', 'PLN', [
    { name: 'Single rate (G11)', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'Day and night (G12)',
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
      name: 'Day, night and weekend (G12w)',
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
    { name: 'Single rate with a standing charge', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'Economy 7',
      note: ['The seven hours of each home are on its bill: change the times to those.'],
      terms: { ...standing, import: peak('00:30', '07:30'), export: flat },
    },
    {
      name: 'Half-hourly prices',
      note: ['With a price series of 30 minutes. Where its prices have no VAT in them, multiply is 1.05.'],
      terms: { ...standing, import: { series_id: '' }, export: { series_id: '' } },
    },
  ]),
  ...of('AU', 'AUD', [
    { name: 'Single rate with a supply charge', terms: { ...standing, import: flat, export: flat } },
    {
      name: 'Time of use with a demand charge',
      note: [
        'The highest quarter-hour of the month stands for the window of the grid. Without such a charge remove it.',
      ],
      terms: { ...standing, capacity: { per_kw_month: PRICE }, import: peak('15:00', '21:00'), export: flat },
    },
  ]),
];
