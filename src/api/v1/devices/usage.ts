import { z } from 'zod';
import { days, id, include, namesOf, zoneOrAccount } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { formatOf } from '#src/api/tables/accept.ts';
import { tableOf } from '#src/api/tables/table.ts';
import * as shapes from '#src/api/v1/devices/shape.ts';
import { greenButtonAnswer } from '#src/api/v1/energy-insights/green-button.ts';
import { grouping, period } from '#src/api/v1/energy-insights/period.ts';
import { holdable, reachOf, reachWithZone } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { costsOf } from '#src/cost/costs.ts';
import { COST_COLUMNS, flattened, withCosts } from '#src/cost/with-cost.ts';
import { findDevice } from '#src/devices/store.ts';
import { type DeviceUsage, deviceUsage as usage } from '#src/energy/device-usage.ts';
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
  formats: ['csv', 'xlsx', 'greenButton'],
  params: z.object({ device_id: id }),
  query,
  async handle({ context, caller, params, query: { start, end, group_by, tz, include }, accepts, reply }) {
    const format = formatOf(accepts, ['csv', 'xlsx', 'greenButton']);
    const wanted = period(start, end, start === undefined && end === undefined ? undefined : group_by);
    const { device_id, user_id } = orNotFound(
      await findDevice(context.db, reachOf(caller), holdable(params.device_id)),
    );
    const now = context.clock();
    const { zone } = await reachWithZone(context.db, caller, user_id, tz);
    const buyer = { userId: user_id, deviceId: device_id };
    if (format === 'greenButton')
      return greenButtonAnswer(context, reply, { callerId: caller.userId, buyer, wanted, zone });
    const range = wanted ? dayRange(wanted.start, wanted.end, zone) : lastThirtyDays(now, zone);
    const groupBy = wanted?.groupBy ?? group_by ?? 'day';
    const { more, hasCost } = namesOf(include);
    const rows = await usage(context.readDb, device_id, range, groupBy, { now, include: more });
    const data = hasCost
      ? withCosts(rows, await costsOf(context.readDb, { buyer, range, now }, groupBy), membersOf(more))
      : rows;
    if (format === 'json') return { device_id, data };
    const table = data.map((row) => flattened(climateApart(row)));
    const said = CLIMATE_COLUMNS.filter((name) => table.some((row) => name in row));
    const columns = [...(groupBy === 'hour' ? ['date', 'hour', 'starts_at'] : ['date']), 'kwh_used', 'peak_hour'];
    return tableOf(reply, format, table, [...columns, ...membersOf(more), ...said, ...(hasCost ? COST_COLUMNS : [])]);
  },
});

/** Columns of what a thermostat said, in °C and minutes; those that any row has. */
const CLIMATE_COLUMNS = [
  'temperature_c_mean',
  'temperature_c_min',
  'temperature_c_max',
  'setpoint_c',
  'heating_minutes',
];

/** A row as a table has it: each member of its temperature in a column of its own. */
function climateApart({ temperature_c, ...row }: DeviceUsage): object {
  const members = Object.entries(temperature_c ?? {});
  return { ...row, ...Object.fromEntries(members.map(([name, value]) => [`temperature_c_${name}`, value])) };
}
