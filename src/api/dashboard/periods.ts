import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { dateField, idField, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { deviceIdSchema } from '#src/api/shapes.ts';
import {
  getAccessibleAccounts,
  loadAccessibleUser,
  requireStorableId,
  resolveRequestedUserId,
} from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { loadTotalEmissions } from '#src/cost/emissions.ts';
import { loadPeriodCosts } from '#src/cost/period.ts';
import { loadPriceCurve } from '#src/cost/price-curve.ts';
import type { Database } from '#src/database/connect.ts';
import { findNewestReadingTimes } from '#src/devices/newest-readings.ts';
import { findDevice } from '#src/devices/store.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { PERIOD_UNITS } from '#src/energy/period/days.ts';
import { loadHomePeriod } from '#src/energy/period/period.ts';
import { loadRecentPower } from '#src/energy/period/power-now.ts';
import { countDays, createDayRange } from '#src/energy/ranges.ts';
import { loadUsageBreakdown } from '#src/energy/usage-breakdown.ts';
import {
  periodCostsResponseSchema,
  periodResponseSchema,
  powerResponseSchema,
  priceCurveResponseSchema,
  usageBreakdownSchema,
} from './shapes.ts';

// Operations for the dashboard's pages about a period of a home.

/** Query for a period: the home or device, and the calendar unit that contains the date. */
const periodQuery = z.object({
  user_id: userIdField.optional(),
  device_id: deviceIdSchema.describe('Id of a device of the user. Default: the whole home.').optional(),
  unit: z.enum(PERIOD_UNITS).describe('Calendar unit of the period. A week begins on Monday.'),
  date: dateField.describe('A day of the period, in the time zone of the user.'),
});

/** Returns the home or device whose period is requested, with the time of its newest reading. Throws if the caller cannot access it. */
async function findPeriodOwner(
  { db, readDb }: ApiContext,
  caller: Caller,
  { user_id, device_id }: { user_id?: string | undefined; device_id?: string | undefined },
) {
  const named = user_id === undefined ? null : await loadAccessibleUser(db, caller, user_id);
  const device =
    device_id === undefined
      ? null
      : requireFound(await findDevice(db, getAccessibleAccounts(caller), requireStorableId(device_id)));
  if (named && device && device.user_id !== named.user_id) throw new AppError('notFound');
  const user = named ?? (await loadAccessibleUser(db, caller, device?.user_id));
  const newest = device ? device.last_seen_at : await newestOf(readDb, user.user_id);
  return { userId: user.user_id, deviceId: device?.device_id, zone: user.timezone, newest };
}

async function newestOf(db: Database, userId: string): Promise<Date | null> {
  const [row] = await findNewestReadingTimes(db, [userId]);
  return row?.newest ?? null;
}

export const getPeriod = defineOperation('GET /v1/period', {
  summary:
    'Returns a day, week, month or year of a user’s home, or of one device, in the user’s time zone: usage, comparison with the same part of earlier periods, and usage of each device.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: periodResponseSchema,
  query: periodQuery,
  async handle({ context, caller, query }) {
    const { userId, deviceId, zone, newest } = await findPeriodOwner(context, caller, query);
    const asked = { unit: query.unit, date: query.date, zone, now: context.clock(), newest };
    return {
      user_id: userId,
      device_id: deviceId ?? null,
      newest_at: newest?.toISOString() ?? null,
      ...(await loadHomePeriod(context.readDb, { userId, deviceId }, asked)),
    };
  },
});

export const getPeriodCosts = defineOperation('GET /v1/period-costs', {
  summary:
    'Returns the cost of a period of a user’s home, or of one of its devices, compared with the same part of earlier periods.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: periodCostsResponseSchema,
  query: periodQuery,
  async handle({ context, caller, query }) {
    const { userId, deviceId, zone, newest } = await findPeriodOwner(context, caller, query);
    const buyer = { userId, ...(deviceId === undefined ? {} : { deviceId }) };
    const asked = { unit: query.unit, date: query.date, zone, now: context.clock(), newest };
    return loadPeriodCosts(context.readDb, buyer, asked);
  },
});

export const getPower = defineOperation('GET /v1/power', {
  summary:
    'Returns the measured power of a user’s home over the last ten minutes. `GET /v1/usage/stream` continues it.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: powerResponseSchema,
  query: z.object({ user_id: idField.optional() }),
  async handle({ context: { readDb, clock }, db, caller, query: { user_id } }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const home = await loadHome(readDb, userId, { isMoreAsked: false, needsConsumption: false });
    const now = clock();
    return { now: now.toISOString(), trail: await loadRecentPower(readDb, home, now) };
  },
});

/** Maximum number of days for which the Home page shows a total: a month. */
const MAX_DAYS = 31;

export const getUsageBreakdown = defineOperation('GET /v1/figure', {
  summary:
    'Returns the usage of a home in some days of the user’s time zone: measured part, estimated part, and the measuring devices.',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: usageBreakdownSchema,
  query: z.object({
    user_id: userIdField.optional(),
    start: dateField.describe('First day, in the time zone of the user.'),
    end: dateField.describe(`Last day, inclusive; at most ${MAX_DAYS} days from \`start\` on.`),
  }),
  async handle({ context: { readDb, clock }, db, caller, query: { user_id, start, end } }) {
    if (end < start) throw createUnprocessableError({ field: 'end', message: 'must not lie before start' });
    if (countDays(start, end) > MAX_DAYS)
      throw createUnprocessableError({ field: 'end', message: `at most ${MAX_DAYS} days` });
    const { user_id: userId, timezone } = await loadAccessibleUser(db, caller, user_id);
    const range = createDayRange(start, end, timezone);
    const [breakdown, emissions] = await Promise.all([
      loadUsageBreakdown(readDb, userId, range),
      loadTotalEmissions(readDb, { buyer: { userId }, range, now: clock() }),
    ]);
    return { ...breakdown, emissions };
  },
});

export const getPriceCurve = defineOperation('GET /v1/price-curve', {
  summary:
    'Returns the price of a kWh for a user’s home in each hour of today and tomorrow, if its tariff follows a price series.',
  readsFromStandby: true,
  scope: 'tariffs:read',
  answer: priceCurveResponseSchema,
  query: z.object({ user_id: idField.optional() }),
  async handle({ context: { readDb, clock }, db, caller, query: { user_id } }) {
    return loadPriceCurve(readDb, await resolveRequestedUserId(db, caller, user_id), clock());
  },
});
