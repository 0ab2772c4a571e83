import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { days, include, namesOf, ofUser, zoneOrAccount } from '#src/api/fields.ts';
import { begun, onePageAtATime, streamOfPages } from '#src/api/long-answers.ts';
import { operation } from '#src/api/operation.ts';
import { reachWithZone } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { unprocessable } from '#src/core/errors.ts';
import { inTurns, ROWS_OF_A_TURN } from '#src/core/turns.ts';
import { totalCostOf } from '#src/cost/costs.ts';
import { costedInsights, costedPages } from '#src/cost/insights.ts';
import { COST_COLUMNS, flattened } from '#src/cost/with-cost.ts';
import { COMMODITIES, type Commodity } from '#src/database/meter.ts';
import {
  COMMODITY_INCLUDES,
  type CommodityInclude,
  commodityInsights,
  commoditySummary,
} from '#src/energy/commodity.ts';
import { HOME_INCLUDES, type Include, membersOf } from '#src/energy/include.ts';
import { insightPages, insights, summary } from '#src/energy/insights.ts';
import { dayCount, dayRange, lastThirtyDays } from '#src/energy/ranges.ts';
import { grouping, period } from './period.ts';
import * as shapes from './shape.ts';

const query = z.object({
  ...days,
  group_by: grouping.optional(),
  user_id: ofUser.optional(),
  tz: zoneOrAccount.default('UTC'),
  include: include(HOME_INCLUDES).optional(),
  commodity: z
    .enum(['electricity', ...COMMODITIES])
    .default('electricity')
    .describe(`What was used. Of \`include\`, all but electricity takes only ${COMMODITY_INCLUDES.join(' and ')}.`),
});

export const getEnergyInsights = operation({
  summary: 'Daily, monthly or hourly usage; without dates the last 30 days in one object.',
  method: 'GET',
  path: '/v1/energy-insights',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shapes.insights,
  csv: true,
  query,
  async handle({ context, caller, query: { start, end, group_by, user_id, tz, include, commodity }, accepts, reply }) {
    const wanted = period(start, end, group_by);
    const { more, hasCost } = namesOf(include);
    const { userId, zone } = await reachWithZone(context.db, caller, user_id, tz);
    if (commodity !== 'electricity') {
      const answer = await ofCommodity(context, {
        userId,
        zone,
        commodity,
        wanted,
        more: ofAnyCommodity(more, hasCost),
      });
      if (!wantsCsv(accepts)) return answer;
      const rows: object[] = 'data' in answer ? answer.data : [{ ...answer.date_range, ...answer }];
      return asCsv(
        reply,
        rows,
        COMMODITY_COLUMNS.filter((name) => rows.some((row) => name in row)),
      );
    }
    if (!wanted) {
      const range = lastThirtyDays(context.clock(), zone);
      const costed = { buyer: { userId }, range, now: context.clock() };
      const { total_kwh, peak_usage_time, included } = await summary(context.readDb, userId, range, more);
      const date_range = { start: range.start, end: range.end };
      const cost = hasCost ? { cost: await totalCostOf(context.readDb, costed) } : {};
      const row = { kwh_used: total_kwh, peak_usage_time, ...included, ...cost };
      if (!wantsCsv(accepts)) return { user_id: userId, date_range, ...row };
      return asCsv(reply, [flattened({ ...date_range, ...row })], []);
    }
    const range = dayRange(wanted.start, wanted.end, zone);
    const columns = wanted.groupBy === 'hour' ? ['date', 'hour', 'starts_at'] : ['date'];
    const allColumns = [...columns, 'kwh_used', 'peak_hour', ...membersOf(more), ...(hasCost ? COST_COLUMNS : [])];
    const asked = { userId, range, groupBy: wanted.groupBy, include: more, now: context.clock() };
    if (wanted.groupBy === 'hour' && dayCount(wanted.start, wanted.end) * 24 > ROWS_OF_A_TURN) {
      const pages = await begun(
        onePageAtATime(
          caller.userId,
          hasCost ? costedPages(context.readDb, asked) : insightPages(context.readDb, userId, range, 'hour', more),
        ),
      );
      reply.type(`${wantsCsv(accepts) ? 'text/csv' : 'application/json'}; charset=utf-8`);
      return wantsCsv(accepts) ? csvOf(flat(pages), allColumns) : streamOfPages({ user_id: userId }, pages);
    }
    const data = hasCost
      ? await costedInsights(context.readDb, asked)
      : await insights(context.readDb, userId, range, wanted.groupBy, more);
    return wantsCsv(accepts) ? asCsv(reply, data.map(flattened), allColumns) : { user_id: userId, data };
  },
});

/** Columns of what `commodity` answers, those that any row has. */
const COMMODITY_COLUMNS = [
  ...['start', 'end', 'date', 'hour', 'starts_at', 'kwh_used', 'm3_used', 'peak_hour', 'peak_usage_time'],
  ...['estimated_kwh', 'estimated_m3', 'coverage', 'complete'],
];

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

/** What was asked for, where it is nothing that only electricity has (422). */
function ofAnyCommodity(include: ReadonlySet<Include>, hasCost: boolean): ReadonlySet<CommodityInclude> {
  const known = new Set(COMMODITY_INCLUDES.filter((name) => include.has(name)));
  if (known.size === include.size && !hasCost) return known;
  const message = `must be some of ${COMMODITY_INCLUDES.join(', ')}: gas, heat and water have no more`;
  throw unprocessable({ field: 'include', message });
}

/** Whether a request would rather have CSV than JSON (RFC 9110, Accept); as much of both is JSON. */
function wantsCsv(accepts: string): boolean {
  const weights = new Map<string, number>();
  for (const range of accepts.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
    weights.set(type, Number(weight) || 0);
  }
  return (weights.get('text/csv') ?? 0) > (weights.get('application/json') ?? 0);
}

function asCsv(reply: { type(name: string): unknown }, rows: object[], columns: string[]): string | Readable {
  reply.type('text/csv; charset=utf-8');
  return rows.length <= ROWS_OF_A_TURN ? csvText(rows, columns, true) : csvOf(inTurns(rows), columns);
}

const csvText = (rows: readonly object[], columns: string[], header: boolean): string =>
  stringify([...rows], defined({ header, columns: columns.length > 0 ? columns : undefined }));

async function* flat(pages: AsyncIterable<readonly object[]>): AsyncGenerator<object[]> {
  for await (const page of pages) yield page.map(flattened);
}

/** CSV of rows that come page by page. */
function csvOf(pages: AsyncIterable<readonly object[]>, columns: string[]): Readable {
  return Readable.from(
    (async function* () {
      let isFirst = true;
      for await (const page of pages) {
        for await (const rows of inTurns(page)) {
          yield csvText(rows, columns, isFirst);
          isFirst = false;
        }
      }
      // Of nothing the header is told all the same.
      if (isFirst) yield csvText([], columns, true);
    })(),
  );
}
