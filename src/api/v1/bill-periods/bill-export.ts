import type { z } from 'zod';
import { castToMilliwattHours, formatExactKwh } from '#src/core/units.ts';
import type { GreenButtonStatement } from '#src/export/green-button/feed.ts';
import type { statementSchema } from './shape.ts';

type Statement = z.output<typeof statementSchema>;

/** Columns of the table of a bill statement. The table has one row for each direction of energy, then one row for each register. */
export const BILL_COLUMNS = [
  'bill_period_id',
  'version',
  'recorded_at',
  'user_id',
  'device_id',
  'start',
  'end',
  'timezone',
  'direction',
  'channel',
  'start_kwh',
  'start_at',
  'start_is',
  'end_kwh',
  'end_at',
  'end_is',
  'energy_kwh',
  'estimated_kwh',
  'adjustment_kwh',
  'billed_kwh',
  'sha256',
] as const;

type Row = Partial<Record<(typeof BILL_COLUMNS)[number], string | number | null>>;

/** Converts a bill statement to the rows of a table: the billed totals of each direction, then the readings of each register. */
export function listBillRows(told: Statement): Row[] {
  const { bill_period_id, version, recorded_at, user_id, start, end, timezone, sha256 } = told;
  const common = { bill_period_id, version, recorded_at, user_id, start, end, timezone, sha256 };
  const sums = (['import', 'export'] as const).map((direction) => ({
    ...common,
    device_id: told.device_id,
    direction,
    energy_kwh: told[`${direction}_kwh`],
    ...(direction === 'import' ? { estimated_kwh: told.estimated_kwh } : {}),
    adjustment_kwh: difference(told[`billed_${direction}_kwh`], told[`${direction}_kwh`]),
    billed_kwh: told[`billed_${direction}_kwh`],
  }));
  const registers = told.registers.map(({ device_id, channel, direction, at_start, at_end, energy_kwh }) => ({
    ...common,
    device_id,
    direction,
    channel,
    start_kwh: at_start?.kwh ?? null,
    start_at: at_start?.at ?? null,
    start_is: at_start?.is ?? null,
    end_kwh: at_end?.kwh ?? null,
    end_at: at_end?.at ?? null,
    end_is: at_end?.is ?? null,
    energy_kwh,
  }));
  return [...sums, ...registers];
}

/** Converts kWh with six decimals to whole mWh. */
const milliwattHours = (kwh: string): number => Number(kwh.replace('.', ''));
const difference = (a: string, b: string): string =>
  formatExactKwh(castToMilliwattHours(milliwattHours(a) - milliwattHours(b)));

/** Maps the quality of a register reading in a bill statement to its name in a Green Button feed. */
const QUALITIES = { measured: 'measured', last: 'measured', by_hand: 'edited', interpolated: 'interpolated' } as const;

/** Converts a bill statement to the values in the Green Button feed of its bill period. */
export const createGreenButtonStatement = (told: Statement): GreenButtonStatement => ({
  subtitle: `Bill period ${told.bill_period_id}, version ${told.version} of ${told.recorded_at}, billed ${told.billed_import_kwh} kWh delivered and ${told.billed_export_kwh} kWh received, SHA-256 ${told.sha256}`,
  registers: told.registers.map(({ channel, direction, at_start, at_end }) => ({
    channel,
    direction,
    readings: [at_start, at_end].flatMap((reading) =>
      reading
        ? [
            {
              atMs: Date.parse(reading.at),
              milliwattHours: milliwattHours(reading.kwh),
              is: QUALITIES[reading.is],
            },
          ]
        : [],
    ),
  })),
});
