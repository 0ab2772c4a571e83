import { z } from 'zod';
import * as fields from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { formatTable } from '#src/api/tables/table.ts';
import * as shapes from '#src/api/v1/devices/shape.ts';
import { resolveGreenButtonFeedDays, streamGreenButtonFeed } from '#src/api/v1/energy-insights/green-button.ts';
import { resolveUserWithZone } from '#src/auth/access.ts';
import { createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { addCostsAndEmissions } from '#src/cost/insights.ts';
import { flattenCostsAndEmissions, listCostAndEmissionColumns } from '#src/cost/weighted-rows.ts';
import { findDevice } from '#src/devices/store.ts';
import { type DeviceUsage, loadDeviceUsage as usage } from '#src/energy/device-usage.ts';
import { INCLUDABLE_DEVICE_FIELDS, type IncludableField, listIncludedFields } from '#src/energy/include.ts';
import { countMonths, createDayRange, getLastThirtyDays } from '#src/energy/ranges.ts';
import { loadRowsWithDistributedGaps } from '#src/energy/with-like-days.ts';

const query = z.object({
  ...fields.dayRangeFields,
  group_by: fields.groupingSchema.optional(),
  tz: fields.zoneOrAccountField.default('UTC'),
  include: fields.createIncludeField(INCLUDABLE_DEVICE_FIELDS).optional(),
  gaps: z
    .enum(['line', 'like_days'])
    .default('line')
    .describe(
      'Distribution of energy over silences of a register of a day or longer. `line`: evenly, as in all other results. `like_days`: by the load profile of similar days in the previous four weeks, if there are enough; each row then has `estimate`. With `like_days`, `include` allows only `estimated` and `coverage`, and the range is at most 36 months.',
    ),
});

/**
 * Values of `include` that are allowed if the energy of gaps is distributed like the usage of similar days. The other values require that
 * the energy is distributed evenly over a gap.
 */
const WITH_LIKE_DAYS: ReadonlySet<IncludableField> = new Set(['estimated', 'coverage']);
const MAX_MONTHS = 36;

export const deviceUsage = defineOperation('GET /v1/devices/{device_id}/usage', {
  summary:
    'Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shapes.deviceUsageSchema,
  formats: ['csv', 'xlsx', 'greenButton'],
  query,
  async handle({
    context,
    db,
    caller,
    reach,
    params,
    query: { start, end, group_by, tz, include, gaps },
    format,
    reply,
  }) {
    const isFeed = format === 'greenButton';
    const wanted = isFeed
      ? resolveGreenButtonFeedDays(start, end, group_by)
      : fields.resolveRequestedDays(start, end, start === undefined && end === undefined ? undefined : group_by);
    const byLikeDays = gaps === 'like_days';
    if (byLikeDays) checkLikeDays(fields.parseInclude(include), wanted, format);
    const { device_id, user_id, timezone } = requireFound(await findDevice(db, reach, params.device_id));
    const now = context.clock();
    const { zone } = await resolveUserWithZone(db, caller, user_id, tz);
    const buyer = { userId: user_id, deviceId: device_id };
    if (isFeed) return streamGreenButtonFeed(context, reply, { callerId: caller.accountId, buyer, wanted, zone });
    const range = wanted ? createDayRange(wanted.start, wanted.end, zone) : getLastThirtyDays(now, zone);
    const groupBy = wanted?.groupBy ?? group_by ?? 'day';
    const { more, weighted } = fields.parseInclude(include);
    const counted = await usage(context.readDb, device_id, range, groupBy, { now, include: more });
    const homeZone = async () => timezone ?? (await resolveUserWithZone(db, caller, user_id, 'account')).zone;
    const rows = byLikeDays
      ? await loadRowsWithDistributedGaps(context.readDb, device_id, counted, {
          range,
          groupBy,
          homeZone: await homeZone(),
          now,
        })
      : counted;
    const members = listIncludedFields(more);
    const data = await addCostsAndEmissions(context.readDb, rows, { buyer, range, now, groupBy, weighted, members });
    if (format === 'json') return { device_id, data };
    const table = data.map((row) => flattenCostsAndEmissions(climateApart(row)));
    const climateColumns = CLIMATE_COLUMNS.filter((name) => table.some((row) => name in row));
    const columns = [...fields.listRowTimeColumns(groupBy), 'kwh_used', 'peak_hour'];
    if (byLikeDays) columns.push('estimate');
    return formatTable(reply, format, table, [
      ...columns,
      ...members,
      ...climateColumns,
      ...listCostAndEmissionColumns(weighted),
    ]);
  },
});

/** Throws 422 for requested members, formats or numbers of months that `gaps=like_days` does not support. */
function checkLikeDays(
  { more, weighted }: ReturnType<typeof fields.parseInclude>,
  wanted: ReturnType<typeof fields.resolveRequestedDays>,
  format: string,
): void {
  const others = [...more].filter((name) => !WITH_LIKE_DAYS.has(name));
  const names = [...WITH_LIKE_DAYS].join(' and ');
  if (weighted.size > 0 || others.length > 0)
    throw createUnprocessableError({ field: 'include', message: `can only contain ${names} with gaps=like_days` });
  if (format === 'greenButton')
    throw createUnprocessableError({
      field: 'gaps',
      message: 'must be line in a Green Button feed, which contains only counted energy',
    });
  if (wanted && countMonths(wanted.start, wanted.end) > MAX_MONTHS)
    throw createUnprocessableError({
      field: 'end',
      message: `must be within ${MAX_MONTHS} months of start with gaps=like_days`,
    });
}

/** Table columns for a thermostat's values, in °C and minutes. Columns without values are omitted. */
const CLIMATE_COLUMNS = [
  'temperature_c_mean',
  'temperature_c_min',
  'temperature_c_max',
  'setpoint_c',
  'heating_minutes',
];

/** Converts a row of the response to a row of a table. Each member of `temperature_c` becomes a column. */
function climateApart({ temperature_c, ...row }: DeviceUsage): object {
  const members = Object.entries(temperature_c ?? {});
  return { ...row, ...Object.fromEntries(members.map(([name, value]) => [`temperature_c_${name}`, value])) };
}
