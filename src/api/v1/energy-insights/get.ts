import { z } from 'zod';
import * as fields from '#src/api/fields.ts';
import { awaitFirstPage, limitConcurrentPages } from '#src/api/long-responses.ts';
import { defineOperation } from '#src/api/operation.ts';
import { formatTable, streamTablePages } from '#src/api/tables/table.ts';
import { resolveUserWithZone } from '#src/auth/access.ts';
import { createUnprocessableError } from '#src/core/errors.ts';
import { MAX_ROWS_WITHOUT_YIELD } from '#src/core/turns.ts';
import {
  loadCostAndEmissionTotals,
  loadInsightsWithCostAndEmissions,
  streamInsightsWithCostAndEmissions,
} from '#src/cost/insights.ts';
import { flattenCostsAndEmissions, listCostAndEmissionColumns } from '#src/cost/weighted-rows.ts';
import type { Database } from '#src/database/connect.ts';
import { COMMODITIES, type Commodity } from '#src/database/meter.ts';
import {
  INCLUDABLE_COMMODITY_FIELDS,
  type IncludableCommodityField,
  loadCommodityInsights,
  loadCommoditySummary,
} from '#src/energy/commodity.ts';
import { INCLUDABLE_HOME_FIELDS, type IncludableField, listIncludedFields } from '#src/energy/include.ts';
import { type GroupBy, loadUsageSummary, streamInsightPages } from '#src/energy/insights.ts';
import { createDayRange, type DayRange, getLastThirtyDays, isSubDayUnit } from '#src/energy/ranges.ts';
import { resolveGreenButtonFeedDays, streamGreenButtonFeed } from './green-button.ts';
import * as shapes from './shape.ts';

const query = z.object({
  ...fields.dayRangeFields,
  group_by: fields.groupingSchema.optional(),
  user_id: fields.userIdField.optional(),
  tz: fields.zoneOrAccountField.default('UTC'),
  include: fields.createIncludeField(INCLUDABLE_HOME_FIELDS).optional(),
  commodity: z
    .enum(['electricity', ...COMMODITIES])
    .default('electricity')
    .describe(
      `Commodity. For gas, heat and water, \`include\` allows only ${INCLUDABLE_COMMODITY_FIELDS.join(' and ')}.`,
    ),
});

export const getEnergyInsights = defineOperation('GET /v1/energy-insights', {
  summary:
    'Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shapes.insightsSchema,
  formats: ['csv', 'xlsx', 'greenButton'],
  query,
  async handle({ context, db, caller, query: asked, format, reply }) {
    const { start, end, group_by, user_id, tz, include, commodity } = asked;
    const wanted = (format === 'greenButton' ? resolveGreenButtonFeedDays : fields.resolveRequestedDays)(
      start,
      end,
      group_by,
    );
    const { more, weighted } = fields.parseInclude(include);
    const { userId, zone } = await resolveUserWithZone(db, caller, user_id, tz);
    if (format === 'greenButton') {
      if (commodity !== 'electricity')
        throw createUnprocessableError({ field: 'commodity', message: ONLY_ELECTRICITY });
      return streamGreenButtonFeed(context, reply, { callerId: caller.accountId, buyer: { userId }, wanted, zone });
    }
    const range = wanted ? createDayRange(wanted.start, wanted.end, zone) : getLastThirtyDays(context.clock(), zone);
    const request = { userId, range, groupBy: wanted?.groupBy ?? null, now: context.clock() };
    if (commodity !== 'electricity') {
      const members = membersOfCommodity(more, weighted.size > 0);
      const answer = await ofCommodity(context.readDb, { ...request, commodity, members });
      if (format === 'json') return answer;
      const rows: object[] = 'data' in answer ? answer.data : [{ ...answer.date_range, ...answer }];
      const columns = COMMODITY_COLUMNS.filter((name) => rows.some((row) => name in row));
      return formatTable(reply, format, rows, rows.length === 0 ? COLUMNS_OF_NOTHING : columns);
    }
    if (!wanted) {
      const { date_range, ...row } = await ofLastThirtyDays(context.readDb, { ...request, more, weighted });
      if (format === 'json') return { user_id: userId, date_range, ...row };
      return formatTable(reply, format, [flattenCostsAndEmissions({ ...date_range, ...row })]);
    }
    const { groupBy } = wanted;
    const listColumns = () => [
      ...[...fields.listRowTimeColumns(groupBy), 'kwh_used', 'peak_hour'],
      ...[...listIncludedFields(more), ...listCostAndEmissionColumns(weighted)],
    ];
    const ofRows = { ...request, groupBy, include: more, weighted };
    if (isSubDayUnit(groupBy) && fields.countRowsInDays(wanted.start, wanted.end, groupBy) > MAX_ROWS_WITHOUT_YIELD) {
      const all =
        weighted.size > 0
          ? streamInsightsWithCostAndEmissions(context.readDb, ofRows)
          : streamInsightPages(context.readDb, userId, range, groupBy, more);
      const pages = await awaitFirstPage(limitConcurrentPages(caller.accountId, all));
      return streamTablePages(
        reply,
        format,
        { user_id: userId },
        format === 'json' ? pages : flat(pages),
        listColumns(),
      );
    }
    const data = await loadInsightsWithCostAndEmissions(context.readDb, ofRows);
    if (format === 'json') return { user_id: userId, data };
    return formatTable(reply, format, data.map(flattenCostsAndEmissions), listColumns());
  },
});

const ONLY_ELECTRICITY = 'must be electricity in a Green Button feed; request CSV for other commodities';

/** Table columns of a response about gas, heat or water (`commodity`). Columns without values are omitted. */
const COMMODITY_COLUMNS = [
  ...['start', 'end', 'date', 'hour', 'time', 'starts_at', 'kwh_used', 'm3_used', 'peak_hour', 'peak_usage_time'],
  ...['estimated_kwh', 'estimated_m3', 'coverage', 'complete'],
];

const COLUMNS_OF_NOTHING = ['date', 'kwh_used', 'm3_used', 'peak_hour'];

/** A request for the energy of a home in a range of days. `groupBy`: the period that one row covers; null for a single total. */
interface Asked {
  userId: string;
  range: DayRange;
  groupBy: GroupBy | null;
  now: Date;
}

async function ofCommodity(
  db: Database,
  {
    userId,
    range,
    groupBy,
    commodity,
    members,
  }: Asked & { commodity: Commodity; members: ReadonlySet<IncludableCommodityField> },
) {
  if (groupBy)
    return { user_id: userId, data: await loadCommodityInsights(db, userId, commodity, range, groupBy, members) };
  const date_range = { start: range.start, end: range.end };
  return { user_id: userId, date_range, ...(await loadCommoditySummary(db, userId, commodity, range, members)) };
}

async function ofLastThirtyDays(
  db: Database,
  { userId, range, now, more, weighted }: Asked & ReturnType<typeof fields.parseInclude>,
) {
  const { total_kwh, peak_usage_time, included } = await loadUsageSummary(db, userId, range, more);
  const totals = await loadCostAndEmissionTotals(db, { buyer: { userId }, range, now }, weighted);
  const date_range = { start: range.start, end: range.end };
  return { date_range, kwh_used: total_kwh, peak_usage_time, ...included, ...totals };
}

/**
 * Returns the members that `include` requests, for a commodity other than electricity. Throws 422 if `include` names a member that exists
 * only for electricity.
 */
function membersOfCommodity(
  include: ReadonlySet<IncludableField>,
  hasWeighted: boolean,
): ReadonlySet<IncludableCommodityField> {
  const known = new Set(INCLUDABLE_COMMODITY_FIELDS.filter((name) => include.has(name)));
  if (known.size === include.size && !hasWeighted) return known;
  const message = `must be one or more of ${INCLUDABLE_COMMODITY_FIELDS.join(', ')} for gas, heat and water`;
  throw createUnprocessableError({ field: 'include', message });
}

async function* flat(pages: AsyncIterable<readonly object[]>): AsyncGenerator<object[]> {
  for await (const page of pages) yield page.map(flattenCostsAndEmissions);
}
