import { z } from 'zod';
import * as fields from '#src/api/fields.ts';
import { daySchema, userIdSchema } from '#src/api/shapes.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { hasTimeCondition, isEmptyRatePeriod, type StoredTariff, type TariffPriceTerms } from '#src/tariffs/terms.ts';
import { costSchema } from '../energy-insights/shape.ts';
import { type Examples, series_id, tariff_id, user_id } from '../example-ids.ts';

/** Maximum number of price periods in a tariff: more than twelve months with a dozen periods each. */
const MAX_PERIODS = 500;
const MAX_COMPARED = 10;

/** Descriptions of members that occur in requests and in responses. */
const MEANING = {
  tariff_id: 'Id of the tariff.',
  name: 'Name of the tariff, chosen by its owner.',
  valid_from:
    'First day of the tariff, in the time zone of the user. The tariff applies until the day before the next tariff begins.',
  currency: 'Currency of all amounts of the tariff (ISO 4217), such as `EUR`.',
  standing_per_day: 'Standing charge per day, independent of usage.',
  per_kwh: 'Price per kWh.',
  periods:
    'Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition.',
  days: 'Weekdays on which the price applies, 1 is Monday. Default: all.',
  months: 'Months in which the price applies, 1 is January. Default: all.',
  from: 'Time of day at which the price begins, a whole quarter-hour. Default: 00:00.',
  to: 'Time of day at which the price ends, a whole quarter-hour. If it is before `from`, the price ends on the next day. Default: 24:00.',
  series_id: 'Id of the price series. The price per kWh is the price of the series × `multiply` + `add`.',
  multiply: 'Factor for the price of the series, such as 1.19 for a tax. Default: 1.',
  add: 'Amount added to the price per kWh after `multiply`. Default: 0.',
  import: 'Prices of energy from the grid.',
  export: 'Payments for energy to the grid. Default: none.',
  capacity: 'Charge for the highest quarter-hour of a month. Default: none.',
  per_kw_month: 'Price per kW of the peak, per month.',
  months_averaged: 'Number of months over which the peaks are averaged. Default: 1.',
  minimum_kw: 'Minimum peak for the charge, in kW. Default: 0.',
};
const AS_TEXT = 'A decimal with up to 9 places, as text.';

/** Returns the schema of a list of ISO weekdays or of months, without duplicates. */
const numbers = (most: number) =>
  fields
    .createBoundedArraySchema(z.number().int().min(1).max(most), 1, most)
    .refine((given) => new Set(given).size === given.length, 'must not repeat a value');
const QUARTER_HOUR = /^(?:[01]\d|2[0-3]):(?:00|15|30|45)$/;
const isTime = (value: string) => QUARTER_HOUR.test(value);
const from = z.string().refine(isTime, 'must be a whole quarter-hour, HH:MM');
const to = z
  .string()
  .refine((value) => isTime(value) || value === '24:00', 'must be a whole quarter-hour, HH:MM, or 24:00');

const period = z
  .strictObject({
    per_kwh: fields.decimalField.describe(MEANING.per_kwh),
    days: numbers(7).optional().describe(MEANING.days),
    from: from.optional().describe(MEANING.from),
    to: to.optional().describe(MEANING.to),
    months: numbers(12).optional().describe(MEANING.months),
  })
  .refine((given) => !isEmptyRatePeriod(given), { path: ['to'], message: 'must differ from `from`' });
const periods = fields.createBoundedArraySchema(period, 1, MAX_PERIODS).superRefine((given, context) => {
  const last = given.at(-1);
  if (!last || !hasTimeCondition(last)) return;
  const message = 'must have no condition: the last period covers all remaining times';
  context.addIssue({ code: 'custom', path: [given.length - 1], message });
});
const rates = z.union([
  z.strictObject({ per_kwh: fields.decimalField.describe(MEANING.per_kwh) }),
  z.strictObject({ periods: periods.describe(MEANING.periods) }),
  z.strictObject({
    series_id: fields.textField(100).describe(MEANING.series_id),
    add: fields.decimalField.optional().describe(MEANING.add),
    multiply: fields.decimalField.optional().describe(MEANING.multiply),
  }),
]);
const capacity = z.strictObject({
  per_kw_month: fields.decimalField.describe(MEANING.per_kw_month),
  months_averaged: z.number().int().min(1).max(12).optional().describe(MEANING.months_averaged),
  minimum_kw: fields.decimalField
    .refine((kept) => !kept.startsWith('-'), 'must not be negative')
    .optional()
    .describe(MEANING.minimum_kw),
});

const settings = {
  name: fields.textField(200).describe(MEANING.name),
  valid_from: fields.dateField.describe(MEANING.valid_from),
  currency: fields.currencyField.describe(MEANING.currency),
  standing_per_day: fields.decimalField.optional().describe(`${MEANING.standing_per_day} Default: none.`),
  capacity: capacity.optional().describe(MEANING.capacity),
  import: rates.describe(MEANING.import),
  export: rates.optional().describe(MEANING.export),
};
export const newTariffSchema = z.strictObject({ user_id: fields.userIdField.optional(), ...settings });
export const tariffPatchSchema = z
  .strictObject({
    ...settings,
    standing_per_day: fields.decimalField.nullable().describe(`${MEANING.standing_per_day} Null: none.`),
    capacity: capacity.nullable().describe('Charge for the highest quarter-hour of a month. Null: none.'),
    export: rates.nullable().describe('Payments for energy to the grid. Null: none.'),
  })
  .partial();

const { valid_from: _, ...offer } = settings;
export const comparisonSchema = z
  .strictObject({
    user_id: fields.userIdField.optional(),
    ...fields.calculationDaysFields,
    tariffs: fields
      .createBoundedArraySchema(z.strictObject(offer), 1, MAX_COMPARED)
      .describe(
        'Tariffs to compare, all in the same currency. If the user has a tariff in the range, its currency is required.',
      ),
  })
  .superRefine(fields.checkCalculationDays);
export const comparisonResponseSchema = z.strictObject({
  user_id: userIdSchema,
  start: daySchema.describe('First day, in the time zone of the user.'),
  end: daySchema.describe('Last day, inclusive.'),
  currency: z.string().describe('Currency of all amounts (ISO 4217).'),
  current: costSchema.describe('Cost of the range under the user’s tariffs. Null: no tariff was in force.'),
  alternatives: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the tariff, as it was sent.'),
        cost: costSchema.unwrap().describe('Cost of the range if this tariff had been in force throughout.'),
        difference: z
          .string()
          .nullable()
          .describe(
            'Total of this tariff minus the `current` total: negative if this tariff is cheaper. Null if `current` is null.',
          ),
      }),
    )
    .describe('The tariffs that were sent, in their order.'),
});

const amount = (meaning: string) => z.string().describe(`${meaning} ${AS_TEXT}`);
const answeredRates = z
  .union([
    z.strictObject({ per_kwh: amount(MEANING.per_kwh) }),
    z.strictObject({
      periods: z
        .array(
          z.strictObject({
            per_kwh: amount(MEANING.per_kwh),
            days: z.array(z.number().int()).optional().describe(MEANING.days),
            from: z.string().optional().describe(MEANING.from),
            to: z.string().optional().describe(MEANING.to),
            months: z.array(z.number().int()).optional().describe(MEANING.months),
          }),
        )
        .describe(MEANING.periods),
    }),
    z.strictObject({
      series_id: z.string().describe(MEANING.series_id),
      add: amount(MEANING.add).optional(),
      multiply: amount(MEANING.multiply).optional(),
    }),
  ])
  .meta({ id: 'Rates' });
export const tariffSchema = z
  .strictObject({
    tariff_id: z.string().describe(MEANING.tariff_id),
    user_id: userIdSchema,
    name: z.string().describe(MEANING.name),
    valid_from: z.iso.date().describe(MEANING.valid_from),
    currency: z.string().describe(MEANING.currency),
    standing_per_day: amount(MEANING.standing_per_day).optional(),
    capacity: z
      .strictObject({
        per_kw_month: amount(MEANING.per_kw_month),
        months_averaged: z.number().int().optional().describe(MEANING.months_averaged),
        minimum_kw: z.number().optional().describe(MEANING.minimum_kw),
      })
      .optional()
      .describe(MEANING.capacity),
    import: answeredRates.describe(MEANING.import),
    export: answeredRates.optional().describe(MEANING.export),
  })
  .meta({ id: 'Tariff' });

export function tariffToResponse({ terms, ...row }: StoredTariff): z.output<typeof tariffSchema> {
  const { standing_per_day, capacity, import: imports, export: exports }: TariffPriceTerms = terms;
  const capacityShown = capacity && { ...capacity, minimum_kw: numberOf(capacity.minimum_kw) };
  return omitUndefined({
    tariff_id: row.tariff_id,
    user_id: row.user_id,
    name: row.name,
    valid_from: row.valid_from,
    currency: row.currency,
    standing_per_day,
    capacity: capacityShown && omitUndefined(capacityShown),
    import: imports as z.output<typeof answeredRates>,
    export: exports as z.output<typeof answeredRates> | undefined,
  });
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

const exampleSettings = {
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
const exampleTariff = { tariff_id, user_id, ...exampleSettings };

const current = {
  currency: 'EUR',
  total: '987.13',
  import: '851.02',
  export: '0.00',
  standing: '136.11',
  estimated: '2.10',
  missing_prices_kwh: 0,
};
const dayAndNight = { ...current, total: '931.55', import: '795.44', estimated: '1.93' };

export const TARIFF_EXAMPLES = {
  compareTariffs: {
    body: {
      start: '2025-06-01',
      end: '2026-05-31',
      tariffs: [
        {
          name: 'Day and night',
          currency: 'EUR',
          standing_per_day: '0.3729',
          import: { periods: [{ per_kwh: '0.2815', from: '06:00', to: '22:00' }, { per_kwh: '0.1970' }] },
        },
      ],
    },
    answer: {
      user_id,
      start: '2025-06-01',
      end: '2026-05-31',
      currency: 'EUR',
      current,
      alternatives: [{ name: 'Day and night', cost: dayAndNight, difference: '-55.58' }],
    },
  },
  createTariff: { body: exampleSettings, answer: exampleTariff },
  listTariffs: { answer: [byClock] },
  getTariff: { answer: byClock },
  updateTariff: { body: { standing_per_day: 0.45 }, answer: { ...exampleTariff, standing_per_day: '0.45' } },
  deleteTariff: { answer: { message: `Tariff ${tariff_id} was deleted` } },
} satisfies Examples;
