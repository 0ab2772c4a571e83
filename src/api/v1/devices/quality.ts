import { DateTime } from 'luxon';
import { z } from 'zod';
import { dayRangeFields, resolveRequestedDays, zoneOrAccountField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { deviceIdSchema } from '#src/api/shapes.ts';
import { formatTable } from '#src/api/tables/table.ts';
import { resolveUserWithZone } from '#src/auth/access.ts';
import { createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { findDevice } from '#src/devices/store.ts';
import { loadDeviceQuality as quality, type ReadingFinding, VERDICT_BY_FINDING } from '#src/energy/quality.ts';
import { countMonths, createDayRange } from '#src/energy/ranges.ts';

const count = z.number().int().nonnegative();

const FOUND: Record<ReadingFinding, string> = {
  glitches: 'False readings: the readings before and after them fit together.',
  overlaps: 'Interval readings that overlap a counted interval.',
  late_news:
    'Readings with which a source continued after it was frozen. Their energy is distributed over the time since the source froze.',
  passed_over: 'Readings that a frozen source repeated.',
  taken_back: 'Readings that prove the previous reading false.',
  jitter: 'Small decreases of a register, for example if it loses its decimals.',
  resets: 'Restarts of the register at zero.',
  rollovers: 'Rollovers of the register at its maximum.',
  swaps:
    'Replacements of the meter. The history is split there, and the difference between the two registers does not count.',
  held: 'Implausible readings that later readings will confirm or refute.',
};

const month = z
  .strictObject({
    month: z
      .string()
      .regex(/^\d{4}-\d\d$/)
      .describe('Month in the time zone `tz`, as `YYYY-MM`.'),
    intervals_expected: count.describe(
      'Number of past quarter-hours of the month, starting with the device’s first reading. It counts time, not messages: a register that reports only changes also covers the time before each message.',
    ),
    intervals_received: count.describe(
      'Number of these quarter-hours that are fully known, from readings at most an hour apart.',
    ),
    intervals_estimated: count.describe(
      'Number of these quarter-hours with energy that was distributed over a silence of more than an hour.',
    ),
    intervals_partial: count.describe(
      'Number of these quarter-hours that are known in part, or for some channels only.',
    ),
    intervals_missing: count.describe('Number of these quarter-hours that are unknown.'),
    import_kwh: z.number().describe('Imported energy, in kWh, exact to the mWh.'),
    export_kwh: z.number().describe('Exported energy, in kWh, exact to the mWh.'),
    estimated_import_kwh: z.number().describe('Part of `import_kwh` that was distributed over silences, in kWh.'),
    estimated_export_kwh: z.number().describe('Part of `export_kwh` that was distributed over silences, in kWh.'),
    readings: count.describe('Number of counted readings.'),
    late_readings: count.describe('Number of readings that arrived after a later reading of the same channel.'),
    corrected_hours: count.describe('Number of hours whose energy changed after it was first known.'),
    import_change_kwh: z.number().describe('Resulting change of the month’s import, in kWh.'),
    export_change_kwh: z.number().describe('Resulting change of the month’s export, in kWh.'),
    findings: z
      .strictObject(
        Object.fromEntries(
          Object.keys(VERDICT_BY_FINDING).map((name) => [name, count.describe(FOUND[name as ReadingFinding])]),
        ) as Record<ReadingFinding, typeof count>,
      )
      .describe('Number of readings with each finding. Readings that count in the normal way are not included.'),
    excluded_readings: count.describe(
      'Number of readings of the month that edits exclude. Raw readings are deleted after the retention time, and then no longer count here.',
    ),
    added_readings: count.describe('Number of readings of the month that edits added.'),
    edits: z.array(z.string()).describe('Ids of the edits in force that affect the month.'),
    rejected: count.describe(
      'Number of messages and elements that were rejected in the month. Rejections are stored for 90 days.',
    ),
    rejections: z
      .array(
        z.strictObject({
          reason: z.string().describe('Reason for the rejection.'),
          count: count.describe('Number of rejections for this reason.'),
        }),
      )
      .describe('The reasons, the most frequent first.'),
  })
  .meta({ id: 'MonthQuality' });

const qualityByMonth = z
  .strictObject({ device_id: deviceIdSchema, data: z.array(month).describe('One row for each month, oldest first.') })
  .meta({ id: 'DeviceQuality' });

const MAX_MONTHS = 36;

export const deviceQuality = defineOperation('GET /v1/devices/{device_id}/quality', {
  summary:
    'Returns the quality of a device’s data by month: intervals received, estimated and missing, late and rejected readings, resets, corrections. Without dates: the last twelve months.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: qualityByMonth,
  formats: ['csv', 'xlsx'],
  query: z.object({ ...dayRangeFields, tz: zoneOrAccountField.default('UTC') }),
  async handle({ context, db, caller, reach, params, query: { start, end, tz }, format, reply }) {
    const wanted = resolveRequestedDays(start, end, start === undefined && end === undefined ? undefined : 'month');
    if (wanted && countMonths(wanted.start, wanted.end) > MAX_MONTHS)
      throw createUnprocessableError({ field: 'end', message: `must be within ${MAX_MONTHS} months of start` });
    const { device_id, user_id } = requireFound(await findDevice(db, reach, params.device_id));
    const now = context.clock();
    const { zone } = await resolveUserWithZone(db, caller, user_id, tz);
    const range = wanted ? createDayRange(wanted.start, wanted.end, zone) : lastYear(now, zone);
    const data = await quality(context.readDb, device_id, range, now);
    if (format === 'json') return { device_id, data };
    const rows = data.map(({ findings, edits, rejections, ...row }) => ({
      ...row,
      ...findings,
      edits: edits.join('; '),
      rejections: rejections.map(({ reason, count }) => `${count} × ${reason}`).join('; '),
    }));
    return formatTable(reply, format, rows, COLUMNS);
  },
});

/** Returns the last twelve calendar months in a time zone, including the current month up to today. */
function lastYear(now: Date, zone: string) {
  const today = DateTime.fromJSDate(now, { zone });
  return createDayRange(today.startOf('month').minus({ months: 11 }).toISODate() ?? '', today.toISODate() ?? '', zone);
}

const COLUMNS = [
  ...Object.keys(month.shape).filter((name) => !['findings', 'edits', 'rejections'].includes(name)),
  ...Object.keys(VERDICT_BY_FINDING),
  'edits',
  'rejections',
];
