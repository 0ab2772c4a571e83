import { z } from 'zod';
import { calculationDaysFields, checkCalculationDays, decimalField, userIdField } from '#src/api/fields.ts';
import { parseDecimal } from '#src/core/decimal.ts';
import type { WhatIfResult } from '#src/cost/compute.task.ts';
import type { Battery, HypotheticalHomeChange } from '#src/cost/what-if.ts';
import { costSchema } from '../energy-insights/shape.ts';
import type { Examples } from '../example-ids.ts';

/** Returns the schema of a decimal number with up to 9 decimal places. The result is in billionths. */
const billionths = (least: number, most: number) =>
  decimalField.transform((text, context) => {
    const value = parseDecimal(text);
    if (value !== null && value >= BigInt(least * 1e9) && value <= BigInt(most * 1e9)) return value;
    context.issues.push({ code: 'custom', message: `must be from ${least} to ${most}`, input: text });
    return z.NEVER;
  });
/** Maximum capacity in kWh and maximum power in kW of a battery. */
const MOST = 1_000_000;

const battery = z
  .strictObject({
    capacity_kwh: billionths(0, MOST)
      .refine((value) => value > 0n, 'must be more than 0')
      .describe('Capacity of the battery, in kWh.'),
    charge_kw: billionths(0, MOST).describe('Maximum charging power, in kW.'),
    discharge_kw: billionths(0, MOST).describe('Maximum discharging power, in kW.'),
    round_trip_efficiency: billionths(0.5, 1).describe(
      'Share of the charged energy that is discharged again, 0.5 to 1.',
    ),
    initial_kwh: billionths(0, MOST).optional().describe('Stored energy at the start, in kWh. Default: 0.'),
  })
  .refine(({ capacity_kwh, initial_kwh = 0n }) => initial_kwh <= capacity_kwh, {
    path: ['initial_kwh'],
    message: 'must not be more than capacity_kwh',
  });

export const whatIfRequestSchema = z
  .strictObject({
    user_id: userIdField.optional(),
    ...calculationDaysFields,
    battery: battery.optional().describe('Battery in addition to the home’s existing devices.'),
    production_scale: billionths(0, 10)
      .optional()
      .describe('Factor for the production, 0 to 10: 2 is twice as many panels. Default: 1.'),
  })
  .superRefine(checkCalculationDays)
  .refine(({ battery: one, production_scale }) => one !== undefined || production_scale !== undefined, {
    path: ['battery'],
    message: 'is required unless production_scale is given',
  });

/** Converts a request to the simulated change of a home. */
export const convertToHypotheticalHomeChange = ({
  battery: one,
  production_scale,
}: Pick<z.output<typeof whatIfRequestSchema>, 'battery' | 'production_scale'>): HypotheticalHomeChange => ({
  battery: one
    ? ({
        capacityKwh: one.capacity_kwh,
        chargeKw: one.charge_kw,
        dischargeKw: one.discharge_kw,
        roundTripEfficiency: one.round_trip_efficiency,
        initialKwh: one.initial_kwh ?? 0n,
      } as Battery)
    : null,
  productionScale: production_scale ?? null,
});

const kwh = z.number();
const side = z.strictObject({
  grid_import_kwh: kwh.describe('Energy from the grid, in kWh.'),
  grid_export_kwh: kwh.describe('Energy to the grid, in kWh.'),
  self_consumed_kwh: kwh
    .nullable()
    .describe('Production that was not exported, in kWh. Null: no production, or unknown.'),
  autarky: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Part of the usage that did not come from the grid, 0 to 1. Null: no usage.'),
  cost: costSchema.unwrap().optional().describe('Cost under the user’s tariffs. Absent if no tariff was in force.'),
});
export const whatIfResponseSchema = z.strictObject({
  before: side.describe('The home without the change, in the quarter-hours with data.'),
  after: side.describe('The home with the change, in the same quarter-hours.'),
  battery: z
    .strictObject({
      charged_kwh: kwh.describe('Energy into the battery, before the loss, in kWh.'),
      discharged_kwh: kwh.describe('Energy out of the battery, in kWh.'),
      stored_kwh: kwh.describe('Energy left in the battery at the end, in kWh. It has no value in the costs.'),
      full_cycles: z.number().describe('`discharged_kwh` ÷ `capacity_kwh`, with two decimals.'),
    })
    .optional()
    .describe('Energy of the battery. Absent if the request had no battery.'),
  unknown_hours: z
    .number()
    .describe(
      'Hours of the range so far without complete data of the home. They are excluded from `before` and `after`.',
    ),
});

/** Converts the result of a simulation to its form in responses. */
export function whatIfToResponse({
  before,
  after,
  battery: moved,
  unknownQuarterHours,
}: WhatIfResult): z.output<typeof whatIfResponseSchema> {
  const shown = ({ cost: amount, ...energies }: WhatIfResult['before']) =>
    amount ? { ...energies, cost: amount } : energies;
  return {
    before: shown(before),
    after: shown(after),
    ...(moved && { battery: moved }),
    unknown_hours: unknownQuarterHours / 4,
  };
}

const standing = { currency: 'EUR', standing: '150.00', estimated: '0.00', missing_prices_kwh: 0 };
export const WHAT_IF_EXAMPLES = {
  whatIf: {
    body: {
      start: '2025-06-01',
      end: '2026-05-31',
      battery: { capacity_kwh: 10, charge_kw: 5, discharge_kw: 5, round_trip_efficiency: '0.92' },
    },
    answer: {
      before: {
        grid_import_kwh: 2900.5,
        grid_export_kwh: 5200.25,
        self_consumed_kwh: 3100.2,
        autarky: 0.516,
        cost: { ...standing, total: '604.13', import: '870.15', export: '416.02' },
      },
      after: {
        grid_import_kwh: 1198.5,
        grid_export_kwh: 3350.25,
        self_consumed_kwh: 4950.2,
        autarky: 0.8,
        cost: { ...standing, total: '241.53', import: '359.55', export: '268.02' },
      },
      battery: { charged_kwh: 1850, discharged_kwh: 1702, stored_kwh: 0, full_cycles: 170.2 },
      unknown_hours: 3.25,
    },
  },
} satisfies Examples;
