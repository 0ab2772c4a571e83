import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { daysField, includeField, splitInclude, userIdField, zoneOrAccountField } from '#src/api/fields.ts';
import { awaitFirstPage, onePageAtATime, streamPages } from '#src/api/long-answers.ts';
import { defineOperation } from '#src/api/operation.ts';
import { negotiateFormat } from '#src/api/tables/accept.ts';
import { formatTable, formatTablePages } from '#src/api/tables/table.ts';
import { reachWithZone } from '#src/auth/access.ts';
import { unprocessable } from '#src/core/errors.ts';
import { ROWS_PER_TURN } from '#src/core/turns.ts';
import {
  loadCostAndEmissionTotals,
  loadInsightsWithCostAndEmissions,
  streamWeightedInsights,
} from '#src/cost/insights.ts';
import { flattenCostsAndEmissions, listCostAndEmissionColumns } from '#src/cost/weighted-rows.ts';
import { COMMODITIES, type Commodity } from '#src/database/meter.ts';
import {
  COMMODITY_INCLUDES,
  type CommodityInclude,
  commodityInsights,
  commoditySummary,
} from '#src/energy/commodity.ts';
import { HOME_INCLUDES, type IncludeName, listIncludedFields } from '#src/energy/include.ts';
import { insightPages, loadUsageSummary } from '#src/energy/insights.ts';
import { dayRange, isClockUnit, lastThirtyDays } from '#src/energy/ranges.ts';
import { feedPeriod, greenButtonAnswer } from './green-button.ts';
import { countRows, grouping, period, timeColumns } from './period.ts';
import * as shapes from './shape.ts';

const query = z.object({
  ...daysField,
  group_by: grouping.optional(),
  user_id: userIdField.optional(),
  tz: zoneOrAccountField.default('UTC'),
  include: includeField(HOME_INCLUDES).optional(),
  commodity: z
    .enum(['electricity', ...COMMODITIES])
    .default('electricity')
    .describe(`Commodity. For gas, heat and water, \`include\` allows only ${COMMODITY_INCLUDES.join(' and ')}.`),
});

export const getEnergyInsights = defineOperation({
  summary:
    'Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object.',
  method: 'GET',
  path: '/v1/energy-insights',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shapes.insights,
  formats: ['csv', 'xlsx', 'greenButton'],
  query,
  async handle({ context, caller, query: { start, end, group_by, user_id, tz, include, commodity }, accepts, reply }) {
    const format = negotiateFormat(accepts, ['csv', 'xlsx', 'greenButton']);
    const wanted = (format === 'greenButton' ? feedPeriod : period)(start, end, group_by);
    const { more, weighted } = splitInclude(include);
    const { userId, zone } = await reachWithZone(context.db, caller, user_id, tz);
    if (format === 'greenButton') {
      if (commodity !== 'electricity') throw unprocessable({ field: 'commodity', message: ONLY_ELECTRICITY });
      return greenButtonAnswer(context, reply, { callerId: caller.accountId, buyer: { userId }, wanted, zone });
    }
    if (commodity !== 'electricity') {
      const answer = await ofCommodity(context, {
        userId,
        zone,
        commodity,
        wanted,
        more: ofAnyCommodity(more, weighted.size > 0),
      });
      if (format === 'json') return answer;
      const rows: object[] = 'data' in answer ? answer.data : [{ ...answer.date_range, ...answer }];
      return formatTable(
        reply,
        format,
        rows,
        rows.length === 0 ? COLUMNS_OF_NOTHING : COMMODITY_COLUMNS.filter((name) => rows.some((row) => name in row)),
      );
    }
    if (!wanted) {
      const range = lastThirtyDays(context.clock(), zone);
      const asked = { buyer: { userId }, range, now: context.clock() };
      const { total_kwh, peak_usage_time, included } = await loadUsageSummary(context.readDb, userId, range, more);
      const date_range = { start: range.start, end: range.end };
      const totals = await loadCostAndEmissionTotals(context.readDb, asked, weighted);
      const row = { kwh_used: total_kwh, peak_usage_time, ...included, ...totals };
      if (format === 'json') return { user_id: userId, date_range, ...row };
      return formatTable(reply, format, [flattenCostsAndEmissions({ ...date_range, ...row })]);
    }
    const range = dayRange(wanted.start, wanted.end, zone);
    const listColumns = () => [
      ...timeColumns(wanted.groupBy),
      'kwh_used',
      'peak_hour',
      ...listIncludedFields(more),
      ...listCostAndEmissionColumns(weighted),
    ];
    const asked = { userId, range, groupBy: wanted.groupBy, include: more, weighted, now: context.clock() };
    if (isClockUnit(wanted.groupBy) && countRows(wanted.start, wanted.end, wanted.groupBy) > ROWS_PER_TURN) {
      const pages = await awaitFirstPage(
        onePageAtATime(
          caller.accountId,
          weighted.size > 0
            ? streamWeightedInsights(context.readDb, asked)
            : insightPages(context.readDb, userId, range, wanted.groupBy, more),
        ),
      );
      if (format !== 'json') return formatTablePages(reply, format, flat(pages), listColumns());
      reply.type('application/json; charset=utf-8');
      return streamPages({ user_id: userId }, pages);
    }
    const data = await loadInsightsWithCostAndEmissions(context.readDb, asked);
    if (format === 'json') return { user_id: userId, data };
    return formatTable(reply, format, data.map(flattenCostsAndEmissions), listColumns());
  },
});

const ONLY_ELECTRICITY = 'must be electricity in a Green Button feed; request CSV for other commodities';

/** Columns of a response for a `commodity`, as far as any row has them. */
const COMMODITY_COLUMNS = [
  ...['start', 'end', 'date', 'hour', 'time', 'starts_at', 'kwh_used', 'm3_used', 'peak_hour', 'peak_usage_time'],
  ...['estimated_kwh', 'estimated_m3', 'coverage', 'complete'],
];

const COLUMNS_OF_NOTHING = ['date', 'kwh_used', 'm3_used', 'peak_hour'];

interface AskedOfCommodity {
  userId: string;
  zone: string;
  commodity: Commodity;
  wanted: ReturnType<typeof period>;
  more: ReadonlySet<CommodityInclude>;
}

async function ofCommodity({ readDb, clock }: ApiContext, { userId, zone, commodity, wanted, more }: AskedOfCommodity) {
  if (wanted) {
    const range = dayRange(wanted.start, wanted.end, zone);
    return { user_id: userId, data: await commodityInsights(readDb, userId, commodity, range, wanted.groupBy, more) };
  }
  const range = lastThirtyDays(clock(), zone);
  const date_range = { start: range.start, end: range.end };
  return { user_id: userId, date_range, ...(await commoditySummary(readDb, userId, commodity, range, more)) };
}

/** Returns the requested additions. Throws 422 if one exists only for electricity. */
function ofAnyCommodity(include: ReadonlySet<IncludeName>, hasWeighted: boolean): ReadonlySet<CommodityInclude> {
  const known = new Set(COMMODITY_INCLUDES.filter((name) => include.has(name)));
  if (known.size === include.size && !hasWeighted) return known;
  const message = `must be one or more of ${COMMODITY_INCLUDES.join(', ')} for gas, heat and water`;
  throw unprocessable({ field: 'include', message });
}

async function* flat(pages: AsyncIterable<readonly object[]>): AsyncGenerator<object[]> {
  for await (const page of pages) yield page.map(flattenCostsAndEmissions);
}
