import { z } from 'zod';
import * as fields from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { resolveUserWithZone } from '#src/auth/access.ts';
import { loadCostAndEmissionTotals } from '#src/cost/insights.ts';
import { INCLUDABLE_HOME_FIELDS } from '#src/energy/include.ts';
import { loadUsageSummary } from '#src/energy/insights.ts';
import { createDayRange, type DayRange, getCurrentInterval } from '#src/energy/ranges.ts';
import * as shapes from './shape.ts';

/** Maximum length of the list of metrics, which may contain duplicates. */
const MAX_METRICS = 20;

const body = z
  .strictObject({
    user_id: fields.userIdField.optional(),
    interval: z
      .enum(['day', 'week', 'month', 'year'])
      .optional()
      .describe(
        'Calendar interval: the current day, week, month or year, up to now. Required unless `start` and `end` are given.',
      ),
    ...fields.dayRangeFields,
    tz: fields.zoneOrAccountField.default('UTC'),
    include: fields.createIncludeField(INCLUDABLE_HOME_FIELDS).optional(),
    metrics: fields
      .createBoundedArraySchema(z.enum(['kwh_used', 'peak_hour']), 1, MAX_METRICS)
      .default(['kwh_used', 'peak_hour'])
      .describe(
        'Metrics of the summary: `kwh_used` gives `total_kwh` and `avg_daily_kwh`, `peak_hour` gives `peak_usage_time`. Default: both.',
      ),
  })
  .superRefine(({ interval, start, end }, context) => {
    const mistake = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (start === undefined && end !== undefined) mistake('start', 'is required together with end');
    if (end === undefined && start !== undefined) mistake('end', 'is required together with start');
    if (start !== undefined && end !== undefined && end < start) mistake('end', 'must not lie before start');
    if (start === undefined && end === undefined && interval === undefined) {
      mistake('interval', 'is required unless start and end are given');
    }
  });

export const postEnergyInsights = defineOperation('POST /v1/energy-insights', {
  summary: 'Returns a summary of a user’s usage in the current calendar interval up to now, or between two dates.',
  changes: 'nothing',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: shapes.summarySchema,
  status: 200,
  body,
  async handle({ context, db, caller, body: { user_id, interval, start, end, metrics, tz, include } }) {
    const { userId, zone } = await resolveUserWithZone(db, caller, user_id, tz);
    const range: DayRange =
      start !== undefined && end !== undefined
        ? createDayRange(start, end, zone)
        : getCurrentInterval(context.clock(), interval ?? 'month', zone);
    const { more, weighted } = fields.parseInclude(include);
    const { total_kwh, avg_daily_kwh, peak_usage_time, included } = await loadUsageSummary(
      context.readDb,
      userId,
      range,
      more,
    );
    const asked = { buyer: { userId }, range, now: context.clock() };
    return {
      summary: {
        ...(metrics.includes('kwh_used') && { total_kwh, avg_daily_kwh }),
        ...(metrics.includes('peak_hour') && { peak_usage_time }),
        ...included,
        ...(await loadCostAndEmissionTotals(context.readDb, asked, weighted)),
      },
    };
  },
});
