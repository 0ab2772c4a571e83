import { DateTime } from 'luxon';
import { z } from 'zod';
import { daysField, idField, zoneOrAccountField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { deviceId } from '#src/api/shapes.ts';
import { negotiateFormat } from '#src/api/tables/accept.ts';
import { formatTable } from '#src/api/tables/table.ts';
import { period } from '#src/api/v1/energy-insights/period.ts';
import { reachOf, reachWithZone, toIdOrNotFound } from '#src/auth/access.ts';
import { requireFound, unprocessable } from '#src/core/errors.ts';
import { findDevice } from '#src/devices/store.ts';
import { type Finding, deviceQuality as quality, VERDICT_BY_FINDING } from '#src/energy/quality.ts';
import { dayRange, monthCount } from '#src/energy/ranges.ts';

const count = z.number().int().nonnegative();

const FOUND: Record<Finding, string> = {
  glitches: 'Readings that were false: what came before and after them fits.',
  overlaps: 'Interval readings that overlap one that counts.',
  late_news: 'Readings in which a frozen source told all that it had kept back, spread over the time since.',
  passed_over: 'Readings that such a source had repeated meanwhile.',
  taken_back: 'Readings that showed that the one before them was false.',
  jitter: 'Small steps back, as of a register that loses its fraction.',
  resets: 'The register began again from zero.',
  rollovers: 'The register passed its maximum.',
  swaps: 'Another register took over: the history is split there, and nothing is counted over the step.',
  held: 'Readings that are implausible, and wait for the next ones to say what they were.',
};

const month = z
  .strictObject({
    month: z
      .string()
      .regex(/^\d{4}-\d\d$/)
      .describe('Month of the time zone `tz`, as `YYYY-MM`.'),
    intervals_expected: count.describe(
      'Quarter-hours of the month that are over, from the first that the device told of on. What is expected is time, not messages: a register that sends when it changes tells of the time before, too.',
    ),
    intervals_received: count.describe('Of these: known throughout, by readings at most an hour apart.'),
    intervals_estimated: count.describe('Of these: with energy that was spread over a silence of more than an hour.'),
    intervals_partial: count.describe('Of these: known for a part of the time, or of the channels.'),
    intervals_missing: count.describe('Of these: of which nothing is known.'),
    import_kwh: z.number().describe('What flowed in, in kWh, to the mWh.'),
    export_kwh: z.number().describe('What flowed out, in kWh, to the mWh.'),
    estimated_import_kwh: z.number().describe('Part of `import_kwh` that was spread over silences, in kWh.'),
    estimated_export_kwh: z.number().describe('Part of `export_kwh` that was spread over silences, in kWh.'),
    readings: count.describe('Readings that count.'),
    late_readings: count.describe('Readings that came when a later one of their channel was stored already.'),
    corrected_hours: count.describe('Hours whose energy changed after it was known.'),
    import_change_kwh: z.number().describe('By how much that changed the import of the month, in kWh.'),
    export_change_kwh: z.number().describe('By how much that changed the export of the month, in kWh.'),
    findings: z
      .strictObject(
        Object.fromEntries(
          Object.keys(VERDICT_BY_FINDING).map((name) => [name, count.describe(FOUND[name as Finding])]),
        ) as Record<Finding, typeof count>,
      )
      .describe('What readings were taken for that were not plainly counted.'),
    excluded_readings: count.describe('Readings of the month that edits pass over, as long as readings are kept.'),
    added_readings: count.describe('Readings of the month that a person read, and that edits added.'),
    edits: z.array(z.string()).describe('Ids of the edits in force that are about a time of the month.'),
    rejected: count.describe('Messages and elements that were refused in the month, of the last 90 days.'),
    rejections: z
      .array(
        z.strictObject({
          reason: z.string().describe('Why they were refused.'),
          count: count.describe('How many.'),
        }),
      )
      .describe('The reasons, the most frequent first.'),
  })
  .meta({ id: 'MonthQuality' });

const qualityByMonth = z
  .strictObject({ device_id: deviceId, data: z.array(month).describe('One row a month, in order of time.') })
  .meta({ id: 'DeviceQuality' });

const MAX_MONTHS = 36;

export const deviceQuality = defineOperation({
  summary:
    'How good what a device told is, month by month: intervals received, estimated and missing, late and rejected readings, resets, corrections; without dates the last twelve months.',
  method: 'GET',
  path: '/v1/devices/{device_id}/quality',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: qualityByMonth,
  formats: ['csv', 'xlsx'],
  params: z.object({ device_id: idField }),
  query: z.object({ ...daysField, tz: zoneOrAccountField.default('UTC') }),
  async handle({ context, caller, params, query: { start, end, tz }, accepts, reply }) {
    const format = negotiateFormat(accepts, ['csv', 'xlsx']);
    const wanted = period(start, end, start === undefined && end === undefined ? undefined : 'month');
    if (wanted && monthCount(wanted.start, wanted.end) > MAX_MONTHS)
      throw unprocessable({ field: 'end', message: `must be within ${MAX_MONTHS} months of start` });
    const { device_id, user_id } = requireFound(
      await findDevice(context.db, reachOf(caller), toIdOrNotFound(params.device_id)),
    );
    const now = context.clock();
    const { zone } = await reachWithZone(context.db, caller, user_id, tz);
    const range = wanted ? dayRange(wanted.start, wanted.end, zone) : lastYear(now, zone);
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

/** Returns the last twelve calendar months of a zone, the current one up to today. */
function lastYear(now: Date, zone: string) {
  const today = DateTime.fromJSDate(now, { zone });
  return dayRange(today.startOf('month').minus({ months: 11 }).toISODate() ?? '', today.toISODate() ?? '', zone);
}

const COLUMNS = [
  ...Object.keys(month.shape).filter((name) => !['findings', 'edits', 'rejections'].includes(name)),
  ...Object.keys(VERDICT_BY_FINDING),
  'edits',
  'rejections',
];
