import { z } from 'zod';
import { listFirings, type PastAlertFiring } from '#src/alerts/firings.ts';
import { findAlert } from '#src/alerts/store.ts';
import { idField, paginationFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { getEditAuthorAndTime } from '#src/api/v1/devices/edits.ts';
import { priceSeriesToResponse as seriesToResponse } from '#src/api/v1/series/shape.ts';
import { findSentDeliveryOfPath } from '#src/api/v1/webhooks/operations.ts';
import { deliveryToResponse } from '#src/api/v1/webhooks/shape.ts';
import { resolveRequestedUserId } from '#src/auth/access.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import { milliwattHoursToKwh } from '#src/core/units.ts';
import { listReadingsOnHold as list } from '#src/devices/channels.ts';
import { listSuspectedMeterSwaps, resolveSuspectedMeterSwap } from '#src/devices/edits/swaps.ts';
import { findDevice } from '#src/devices/store.ts';
import { listSeries } from '#src/tariffs/price-series.ts';
import { summarisePrices } from '#src/tariffs/prices.ts';
import {
  alertFiringSchema,
  readingsOnHoldSchema,
  selectablePriceSeriesSchema,
  sentDeliverySchema,
  suspectedMeterSwapsSchema,
} from './shapes.ts';

// Operations for the dashboard's pages about devices, alerts, webhooks and series.

export const listReadingsOnHold = defineOperation('GET /v1/devices/{device_id}/held', {
  summary: 'Lists the quantities of a device whose last value is implausible and has not been counted so far.',
  scope: 'devices:read',
  answer: readingsOnHoldSchema,
  async handle({ db, reach, params }) {
    const { device_id } = requireFound(await findDevice(db, reach, params.device_id));
    return (await list(db, device_id)).map((one) => shapes.pickMembers(readingsOnHoldSchema.element, one));
  },
});

export const listMeterSwapQuestions = defineOperation('GET /v1/swaps', {
  summary:
    'Lists the registers of a user’s devices that dropped or jumped so far that a replaced meter is assumed, if nobody has confirmed it.',
  scope: 'devices:read',
  answer: suspectedMeterSwapsSchema,
  query: z.object({ user_id: idField.optional() }),
  async handle({ db, caller, reach, query: { user_id } }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    return (await listSuspectedMeterSwaps(db, reach, userId)).map((one) =>
      shapes.pickMembers(suspectedMeterSwapsSchema.element, one),
    );
  },
});

export const answerMeterSwapQuestion = defineOperation('POST /v1/devices/{device_id}/swaps', {
  summary:
    'Confirms or denies that the meter of a register was replaced at a time. If it was not, an edit excludes the readings.',
  status: 200,
  audit: { action: 'device.edited', target: 'device_id' },
  scope: 'devices:write',
  answer: shapes.messageSchema,
  body: z.strictObject({
    at: shapes.instantSchema,
    native_name: z.string().max(200),
    is_replaced: z.boolean(),
    reason: z.string().min(1).max(500),
  }),
  async handle({
    context,
    db,
    caller,
    reach,
    params,
    body: { at, native_name: nativeName, is_replaced: isReplaced, reason },
  }) {
    const answer = { at: new Date(at), nativeName, isReplaced, reason };
    const editing = getEditAuthorAndTime(context, caller);
    const isAsked = await resolveSuspectedMeterSwap(db, reach, params.device_id, answer, editing);
    if (!isAsked) throw new AppError('notFound');
    return { message: isReplaced ? 'The swap is confirmed' : 'The readings are excluded' };
  },
});

export const listAlertFirings = defineOperation('GET /v1/alerts/{alert_id}/firings', {
  summary: 'Lists the times at which an alert fired, latest first, page by page.',
  scope: 'alerts:read',
  answer: z.array(alertFiringSchema),
  query: z.object({ ...paginationFields }),
  async handle({ db, reach, params, page }) {
    const { alert_id } = requireFound(await findAlert(db, reach, params.alert_id));
    const rows = await page('event_id', (at) => listFirings(db, reach, alert_id, at));
    return rows.map(firingToResponse);
  },
});

const firingToResponse = (row: PastAlertFiring): z.output<typeof alertFiringSchema> => ({
  fired_at: row.fired_at.toISOString(),
  period_start: row.period_start.toISOString(),
  period_end: row.period_end?.toISOString() ?? null,
  kwh_used: row.total_milliwatt_hours === null ? null : milliwattHoursToKwh(row.total_milliwatt_hours),
  cost: row.total_cost,
  currency: row.currency,
  device_id: row.device_id === '' ? null : row.device_id,
  event_id: row.event_id,
});

export const getWebhookDeliveryExchange = defineOperation(
  'GET /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/exchange',
  {
    summary: 'Returns one delivery of a subscription: the request, and the receiver’s response to each attempt.',
    scope: 'webhooks:read',
    answer: sentDeliverySchema,
    async handle(call) {
      const sent = await findSentDeliveryOfPath(call);
      const { request, attempts } = sent;
      return { ...deliveryToResponse(sent), request, attempts };
    },
  },
);

export const listSelectablePriceSeries = defineOperation('GET /v1/usable-series', {
  summary:
    'Lists the price series that a user can use, with the number of prices and the end of the latest price, page by page.',
  scope: 'tariffs:read',
  answer: z.array(selectablePriceSeriesSchema),
  query: z.object({ user_id: userIdField.optional(), ...paginationFields }),
  async handle({ db, caller, query: { user_id }, page }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const rows = await page('series_id', (at) => listSeries(db, 'price', userId, at));
    const ids = rows.map(({ series_id }) => series_id);
    const known = await summarisePrices(db, ids);
    return rows.map((row) => {
      const { count = 0, until } = known.get(row.series_id) ?? {};
      return { ...seriesToResponse(row), prices: count, until: until?.toISOString() ?? null };
    });
  },
});
