import { z } from 'zod';
import { date, id, zone } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/v1/devices/shape.ts';
import { grouping, period } from '#src/api/v1/energy-insights/period.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findDevice } from '#src/devices/store.ts';
import { deviceUsage as usage } from '#src/energy/device-usage.ts';
import { dayRange, lastThirtyDays } from '#src/energy/ranges.ts';

const query = z.object({
  start: date.optional(),
  end: date.optional(),
  group_by: grouping.optional(),
  tz: zone.default('UTC'),
});

export const deviceUsage = operation({
  summary: 'Usage of one device, and the climate that a thermostat reports; without dates the last 30 days.',
  method: 'GET',
  path: '/v1/devices/{device_id}/usage',
  scope: 'insights:read',
  answer: shapes.deviceUsage,
  params: z.object({ device_id: id }),
  query,
  async handle({ context, caller, params, query: { start, end, group_by, tz } }) {
    const wanted = period(start, end, start === undefined && end === undefined ? undefined : group_by);
    const { device_id } = orNotFound(await findDevice(context.db, reachOf(caller), holdable(params.device_id)));
    const now = context.clock();
    const range = wanted ? dayRange(wanted.start, wanted.end, tz) : lastThirtyDays(now, tz);
    const data = await usage(context.readDb, device_id, range, wanted?.groupBy ?? group_by ?? 'day', now);
    return { device_id, data };
  },
});
