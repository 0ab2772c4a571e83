import { DateTime } from 'luxon';
import { z } from 'zod';
import { days, id, zoneOrAccount } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { formatOf } from '#src/api/tables/accept.ts';
import { tableOf } from '#src/api/tables/table.ts';
import * as shapes from '#src/api/v1/devices/quality-shape.ts';
import { period } from '#src/api/v1/energy-insights/period.ts';
import { holdable, reachOf, reachWithZone } from '#src/auth/access.ts';
import { orNotFound, unprocessable } from '#src/core/errors.ts';
import { findDevice } from '#src/devices/store.ts';
import { FINDINGS, deviceQuality as quality } from '#src/energy/quality.ts';
import { dayRange, monthCount } from '#src/energy/ranges.ts';

const MOST_MONTHS = 36;

export const deviceQuality = operation({
  summary:
    'How good what a device told is, month by month: intervals received, estimated and missing, late and rejected readings, resets, corrections; without dates the last twelve months.',
  method: 'GET',
  path: '/v1/devices/{device_id}/quality',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shapes.deviceQuality,
  formats: ['csv', 'xlsx'],
  params: z.object({ device_id: id }),
  query: z.object({ ...days, tz: zoneOrAccount.default('UTC') }),
  async handle({ context, caller, params, query: { start, end, tz }, accepts, reply }) {
    const format = formatOf(accepts, ['csv', 'xlsx']);
    const wanted = period(start, end, start === undefined && end === undefined ? undefined : 'month');
    if (wanted && monthCount(wanted.start, wanted.end) > MOST_MONTHS)
      throw unprocessable({ field: 'end', message: `must be within ${MOST_MONTHS} months of start` });
    const { device_id, user_id } = orNotFound(
      await findDevice(context.db, reachOf(caller), holdable(params.device_id)),
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
    return tableOf(reply, format, rows, COLUMNS);
  },
});

/** The last twelve calendar months of a zone, this one to date. */
function lastYear(now: Date, zone: string) {
  const today = DateTime.fromJSDate(now, { zone });
  return dayRange(today.startOf('month').minus({ months: 11 }).toISODate() ?? '', today.toISODate() ?? '', zone);
}

const COLUMNS = [
  ...Object.keys(shapes.month.shape).filter((name) => !['findings', 'edits', 'rejections'].includes(name)),
  ...Object.keys(FINDINGS),
  'edits',
  'rejections',
];
