import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { date, id, include, namesOf, zoneOrAccount } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { reachWithZone } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { HOME_INCLUDES, membersOf } from '#src/energy/include.ts';
import { insights, summary } from '#src/energy/insights.ts';
import { dayRange, lastThirtyDays } from '#src/energy/ranges.ts';
import { grouping, period } from './period.ts';
import * as shapes from './shape.ts';

const query = z.object({
  start: date.optional(),
  end: date.optional(),
  group_by: grouping.optional(),
  user_id: id.optional(),
  tz: zoneOrAccount.default('UTC'),
  include: include(HOME_INCLUDES).optional(),
});

export const getEnergyInsights = operation({
  summary: 'Daily, monthly or hourly usage; without dates the last 30 days in one object.',
  method: 'GET',
  path: '/v1/energy-insights',
  scope: 'insights:read',
  answer: shapes.insights,
  query,
  async handle({ context, caller, query: { start, end, group_by, user_id, tz, include }, accepts, reply }) {
    const wanted = period(start, end, group_by);
    const more = namesOf(include);
    const { userId, zone } = await reachWithZone(context.db, caller, user_id, tz);
    if (!wanted) {
      const range = lastThirtyDays(context.clock(), zone);
      const { total_kwh, peak_usage_time, included } = await summary(context.readDb, userId, range, more);
      const date_range = { start: range.start, end: range.end };
      const row = { user_id: userId, date_range, kwh_used: total_kwh, peak_usage_time, ...included };
      if (!wantsCsv(accepts)) return row;
      return asCsv(reply, [{ ...date_range, kwh_used: total_kwh, peak_usage_time, ...included }], []);
    }
    const range = dayRange(wanted.start, wanted.end, zone);
    const data = await insights(context.readDb, userId, range, wanted.groupBy, more);
    if (!wantsCsv(accepts)) return { user_id: userId, data };
    const columns = wanted.groupBy === 'hour' ? ['date', 'hour', 'starts_at'] : ['date'];
    return asCsv(reply, data, [...columns, 'kwh_used', 'peak_hour', ...membersOf(more)]);
  },
});

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

function asCsv(reply: { type(name: string): unknown }, rows: object[], columns: string[]): string {
  reply.type('text/csv; charset=utf-8');
  return stringify(rows, defined({ header: true, columns: columns.length > 0 ? columns : undefined }));
}
