import { z } from 'zod';
import { daysField, idField, includeField, splitInclude, zoneOrAccountField } from '#src/api/fields.ts';
import { awaitFirstPage, onePageAtATime, streamPages } from '#src/api/long-answers.ts';
import { defineOperation } from '#src/api/operation.ts';
import { negotiateFormat } from '#src/api/tables/accept.ts';
import { formatTable, formatTablePages } from '#src/api/tables/table.ts';
import { grouping, period, timeColumns } from '#src/api/v1/energy-insights/period.ts';
import { reachOf, toIdOrNotFound } from '#src/auth/access.ts';
import { requireFound, unprocessable } from '#src/core/errors.ts';
import { loadGroupHomes } from '#src/energy/group/homes.ts';
import { groupSummary, streamGroupInsights } from '#src/energy/group/insights.ts';
import { loadStoredSums } from '#src/energy/group/stored-sums.ts';
import { HOME_INCLUDES, listIncludedFields } from '#src/energy/include.ts';
import { dayRange, lastThirtyDays } from '#src/energy/ranges.ts';
import { findOwnerTimeZone, listGroupHomes } from '#src/groups/members.ts';
import { findGroup } from '#src/groups/store.ts';
import { groupInsights } from './shape.ts';

const query = z.object({
  ...daysField,
  group_by: grouping.optional(),
  tz: zoneOrAccountField
    .describe('IANA time zone of the days and hours. `account`: the time zone of the group’s owner.')
    .default('UTC'),
  include: includeField(HOME_INCLUDES).optional(),
});

export const groupEnergyInsights = defineOperation({
  summary:
    'Returns the total usage of the homes of a group and its subgroups by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. Each home counts once.',
  method: 'GET',
  path: '/v1/groups/{group_id}/energy-insights',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: groupInsights,
  formats: ['csv', 'xlsx'],
  params: z.object({ group_id: idField }),
  query,
  async handle({ context, caller, params, query: { start, end, group_by, tz, include }, accepts, reply }) {
    const format = negotiateFormat(accepts, ['csv', 'xlsx']);
    const wanted = period(start, end, group_by);
    const { more, weighted } = splitInclude(include);
    if (weighted.size > 0) throw unprocessable({ field: 'include', message: NO_WEIGHTED });
    const { group_id, user_id } = requireFound(
      await findGroup(context.db, reachOf(caller), toIdOrNotFound(params.group_id)),
    );
    const zone = tz === 'account' ? await findOwnerTimeZone(context.db, user_id) : tz;
    const homes = await listGroupHomes(context.db, group_id);
    const { readDb } = context;
    const group = await loadGroupHomes(readDb, homes, more);
    const about = { group_id, homes: homes.length };
    if (!wanted) {
      const range = lastThirtyDays(context.clock(), zone);
      const date_range = { start: range.start, end: range.end };
      const row = await groupSummary(readDb, group, range);
      if (format === 'json') return { ...about, date_range, ...row };
      return formatTable(reply, format, [{ ...date_range, ...row }]);
    }
    const range = dayRange(wanted.start, wanted.end, zone);
    const storedSums = await loadStoredSums(readDb, group_id, group, { range, groupBy: wanted.groupBy });
    const pages = await awaitFirstPage(
      onePageAtATime(caller.accountId, streamGroupInsights(readDb, group, range, wanted.groupBy, storedSums)),
    );
    if (format === 'json') {
      reply.type('application/json; charset=utf-8');
      return streamPages(about, pages);
    }
    const columns = [...timeColumns(wanted.groupBy), 'kwh_used', 'peak_hour', ...listIncludedFields(more)];
    return formatTablePages(reply, format, pages, columns);
  },
});

const NO_WEIGHTED = 'must not have cost or emissions: homes have tariffs, currencies and emission series of their own';
