import { z } from 'zod';
import { days, id, include, namesOf, zoneOrAccount } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/v1/devices/shape.ts';
import { grouping, period } from '#src/api/v1/energy-insights/period.ts';
import { holdable, reachOf, reachWithZone } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { costsOf } from '#src/cost/costs.ts';
import { withCosts } from '#src/cost/with-cost.ts';
import { findDevice } from '#src/devices/store.ts';
import { deviceUsage as usage } from '#src/energy/device-usage.ts';
import { DEVICE_INCLUDES, membersOf } from '#src/energy/include.ts';
import { dayRange, lastThirtyDays } from '#src/energy/ranges.ts';

const query = z.object({
  ...days,
  group_by: grouping.optional(),
  tz: zoneOrAccount.default('UTC'),
  include: include(DEVICE_INCLUDES).optional(),
});

export const deviceUsage = operation({
  summary: 'Usage of one device, and the climate that a thermostat reports; without dates the last 30 days.',
  method: 'GET',
  path: '/v1/devices/{device_id}/usage',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shapes.deviceUsage,
  params: z.object({ device_id: id }),
  query,
  async handle({ context, caller, params, query: { start, end, group_by, tz, include } }) {
    const wanted = period(start, end, start === undefined && end === undefined ? undefined : group_by);
    const { device_id, user_id } = orNotFound(
      await findDevice(context.db, reachOf(caller), holdable(params.device_id)),
    );
    const now = context.clock();
    const { zone } = await reachWithZone(context.db, caller, user_id, tz);
    const range = wanted ? dayRange(wanted.start, wanted.end, zone) : lastThirtyDays(now, zone);
    const groupBy = wanted?.groupBy ?? group_by ?? 'day';
    const { more, hasCost } = namesOf(include);
    const rows = await usage(context.readDb, device_id, range, groupBy, { now, include: more });
    if (!hasCost) return { device_id, data: rows };
    const buyer = { userId: user_id, deviceId: device_id };
    const costs = await costsOf(context.readDb, { buyer, range, now }, groupBy);
    return { device_id, data: withCosts(rows, costs, membersOf(more)) };
  },
});
