import { z } from 'zod';
import * as fields from '#src/api/fields.ts';
import { awaitFirstPage, limitConcurrentPages } from '#src/api/long-responses.ts';
import { defineOperation } from '#src/api/operation.ts';
import { formatTable, streamTablePages } from '#src/api/tables/table.ts';
import { createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { loadGroupHomes } from '#src/energy/group/homes.ts';
import { loadGroupSummary, streamGroupInsights } from '#src/energy/group/insights.ts';
import { loadStoredSums } from '#src/energy/group/stored-sums.ts';
import { INCLUDABLE_HOME_FIELDS, listIncludedFields } from '#src/energy/include.ts';
import { createDayRange, getLastThirtyDays } from '#src/energy/ranges.ts';
import { findOwnerTimeZone, listGroupHomes } from '#src/groups/members.ts';
import { findGroup } from '#src/groups/store.ts';
import { groupInsightsSchema } from './shape.ts';

const query = z.object({
  ...fields.dayRangeFields,
  group_by: fields.groupingSchema.optional(),
  tz: fields.zoneOrAccountField
    .describe('IANA time zone of the days and hours. `account`: the time zone of the group’s owner.')
    .default('UTC'),
  include: fields.createIncludeField(INCLUDABLE_HOME_FIELDS).optional(),
});

export const groupEnergyInsights = defineOperation('GET /v1/groups/{group_id}/energy-insights', {
  summary:
    'Returns the total usage of the homes of a group and its subgroups by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. Each home counts once.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: groupInsightsSchema,
  formats: ['csv', 'xlsx'],
  query,
  async handle({ context, db, caller, reach, params, query: { start, end, group_by, tz, include }, format, reply }) {
    const wanted = fields.resolveRequestedDays(start, end, group_by);
    const { more, weighted } = fields.parseInclude(include);
    if (weighted.size > 0) throw createUnprocessableError({ field: 'include', message: NO_WEIGHTED });
    const { group_id, user_id } = requireFound(await findGroup(db, reach, params.group_id));
    const zone = tz === 'account' ? await findOwnerTimeZone(db, user_id) : tz;
    const homes = await listGroupHomes(db, group_id);
    const { readDb } = context;
    const group = await loadGroupHomes(readDb, homes, more);
    const about = { group_id, homes: homes.length };
    if (!wanted) {
      const range = getLastThirtyDays(context.clock(), zone);
      const date_range = { start: range.start, end: range.end };
      const row = await loadGroupSummary(readDb, group, range);
      if (format === 'json') return { ...about, date_range, ...row };
      return formatTable(reply, format, [{ ...date_range, ...row }]);
    }
    const range = createDayRange(wanted.start, wanted.end, zone);
    const storedSums = await loadStoredSums(readDb, group_id, group, { range, groupBy: wanted.groupBy });
    const pages = await awaitFirstPage(
      limitConcurrentPages(caller.accountId, streamGroupInsights(readDb, group, range, wanted.groupBy, storedSums)),
    );
    const columns = [
      ...fields.listRowTimeColumns(wanted.groupBy),
      'kwh_used',
      'peak_hour',
      ...listIncludedFields(more),
    ];
    return streamTablePages(reply, format, about, pages, columns);
  },
});

const NO_WEIGHTED = 'must not have cost or emissions: homes have tariffs, currencies and emission series of their own';
