import { DateTime } from 'luxon';
import { z } from 'zod';
import { instantOrDateField, integerFieldWithDefault, paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { deviceIdSchema, instantSchema } from '#src/api/shapes.ts';
import { formatTable } from '#src/api/tables/table.ts';
import { requireReadingsReadAccess } from '#src/auth/access.ts';
import { createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { castToMilliwattHours, formatExactKwh } from '#src/core/units.ts';
import { type DeviceReading, formatReadingCursor, listReadings } from '#src/energy/readings/list.ts';
import { READING_VERDICTS } from '#src/energy/readings/verdict.ts';

const MAX_MONTHS = 36;

/** An energy in kWh or a volume in m³, written with six decimals. */
const exact = z.string().regex(/^-?\d+\.\d{6}$/);

const reading = z
  .strictObject({
    ts: instantSchema.describe('Time of the reading; for an interval, its end.'),
    channel: z.string().describe('Channel of the device, such as `import`.'),
    native_name: z.string().describe('The device’s own name of the quantity.'),
    energy_total_kwh: exact.optional().describe('Value of a register, in kWh.'),
    energy_kwh: exact.optional().describe('Energy of an interval, in kWh.'),
    volume_total_m3: exact.optional().describe('Value of a register of gas, heat or water, in m³.'),
    volume_m3: exact.optional().describe('Volume of an interval, in m³.'),
    interval_s: z.number().optional().describe('Length of an interval, in seconds.'),
    power_w: z.number().optional().describe('Power, in W.'),
    temperature_c: z.number().optional().describe('Room temperature, in °C.'),
    setpoint_c: z.number().optional().describe('Set temperature, in °C.'),
    heating: z.number().int().optional().describe('State of a thermostat: 1 while heating, otherwise 0.'),
    humidity_percent: z.number().optional().describe('Relative humidity, in percent.'),
    verdict: z
      .enum(READING_VERDICTS)
      .describe(
        'Use of the reading. `counted`: its energy counts. `baseline`: energy counts from this reading on. `excluded`: an edit excludes it. `not_counted`: another quantity counts. `unknown`: the meaning of the quantity has not been set. `lower_kept`: it counts, and a higher value for the same time does not. Other values are findings of `GET /v1/devices/{device_id}/quality`.',
      ),
    edit_id: z.string().optional().describe('Id of the edit that excludes or added the reading.'),
  })
  .meta({ id: 'DeviceReading' });

const readings = z
  .strictObject({ device_id: deviceIdSchema, data: z.array(reading).describe('The readings, oldest first.') })
  .meta({ id: 'DeviceReadings' });

export const listDeviceReadings = defineOperation('GET /v1/devices/{device_id}/readings', {
  summary: 'Returns the stored readings of a device, each with its use in the computation, oldest first, page by page.',
  scope: 'readings:read',
  answer: readings,
  formats: ['csv'],
  query: z.object({
    start: instantOrDateField.describe('First instant of the range: a date (UTC), or an instant with its zone.'),
    end: instantOrDateField.describe(
      'End of the range, exclusive, in the form of `start`. At most 36 months after `start`.',
    ),
    limit: integerFieldWithDefault(1, 10_000, 1_000).describe('Maximum number of readings in the response.'),
    cursor: paginationFields.cursor,
  }),
  async handle({ db, caller, reach, params, query: { start: from, end: to }, format, reply, page }) {
    requireReadingsReadAccess(caller);
    checkRange(from, to);
    const { device_id } = params;
    const rows = await page(formatReadingCursor, async (at) =>
      requireFound(await listReadings(db, reach, device_id, { from, to, ...at })),
    );
    const data = rows.map(toResponse);
    return format === 'json' ? { device_id, data } : formatTable(reply, format, data, Object.keys(reading.shape));
  },
});

/** Throws 422 if the time range of a request is empty or too long. */
function checkRange(from: Date, to: Date): void {
  const wrong = (message: string) => createUnprocessableError({ field: 'end', message });
  if (to <= from) throw wrong('must lie after start');
  const latest = DateTime.fromJSDate(from, { zone: 'utc' }).plus({ months: MAX_MONTHS });
  if (to.getTime() > latest.toMillis()) throw wrong(`must be within ${MAX_MONTHS} months of start`);
}

/** Converts a stored reading to its form in responses. */
function toResponse({ series, at, intervalMs, value, verdict, editId }: DeviceReading): z.output<typeof reading> {
  return {
    ts: at.toISOString(),
    channel: series.channel,
    native_name: series.nativeName,
    ...quantityOf(series, value, intervalMs),
    verdict,
    ...(editId !== null && { edit_id: editId }),
  };
}

/**
 * Converts a stored value to a member of the response. Energies and volumes are stored in millionths of a kWh or m³, other values
 * in thousandths of their unit.
 */
function quantityOf({ kind, isVolume }: DeviceReading['series'], value: number, intervalMs: number) {
  const thousandths = value / 1_000;
  const exactly = formatExactKwh(castToMilliwattHours(value));
  switch (kind) {
    case 'register':
      return isVolume ? { volume_total_m3: exactly } : { energy_total_kwh: exactly };
    case 'interval':
      return { ...(isVolume ? { volume_m3: exactly } : { energy_kwh: exactly }), interval_s: intervalMs / 1_000 };
    case 'power':
      return { power_w: thousandths };
    case 'temperature':
      return { temperature_c: thousandths };
    case 'setpoint':
      return { setpoint_c: thousandths };
    case 'humidity':
      return { humidity_percent: thousandths };
    default:
      return { heating: value };
  }
}
