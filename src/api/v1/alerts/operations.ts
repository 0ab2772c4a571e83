import { z } from 'zod';
import { isCostAlertType } from '#src/alerts/period.ts';
import {
  type HypotheticalFiring,
  previewCostAlert,
  previewSilenceAlert,
  previewUsageAlert,
} from '#src/alerts/preview.ts';
import * as alertStore from '#src/alerts/store.ts';
import { paginationFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import { getAppAuthorizationId, loadAccessibleUser, resolveRequestedUserId } from '#src/auth/access.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { hasActiveWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { hasTariff } from '#src/tariffs/store.ts';
import type { User } from '#src/users/store.ts';
import * as shapes from './shape.ts';

export const createAlert = defineOperation('POST /v1/alerts', {
  summary: 'Creates an alert with a threshold on a user’s usage or costs, or on the silence of a device.',
  audit: { action: 'alert.created', target: 'alert_id' },
  scope: 'alerts:write',
  answer: shapes.createdAlertSchema,
  body: shapes.newAlertSchema,
  exactNumbers: ['threshold'],
  async handle({ db, caller, body: { user_id, ...settings } }) {
    checkThreshold(settings.type, settings, { required: true });
    const owner = await loadAccessibleUser(db, caller, user_id);
    await checkTariff(db, owner.user_id, settings.threshold);
    await checkDelivery(db, owner, settings.delivery);
    const by = { authorization_id: getAppAuthorizationId(caller) };
    const { alert_id, status } = await alertStore.createAlert(db, {
      userId: owner.user_id,
      ...shapes.alertSettingsToRow(settings),
      ...by,
    });
    return { alert_id, status };
  },
});

export const listAlerts = defineOperation('GET /v1/alerts', {
  summary: 'Lists the alerts of a user, page by page.',
  scope: 'alerts:read',
  answer: z.array(shapes.alertSchema),
  query: z.object({ user_id: userIdField.describe('Id of the user. Required.'), ...paginationFields }),
  async handle({ db, caller, reach, query: { user_id }, page }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const rows = await page('alert_id', (at) => alertStore.listAlerts(db, reach, userId, at));
    return rows.map(shapes.alertToResponse);
  },
});

export const getAlert = defineOperation('GET /v1/alerts/{alert_id}', {
  summary: 'Returns one alert.',
  scope: 'alerts:read',
  answer: shapes.alertSchema,
  handle: async ({ db, reach, params }) =>
    shapes.alertToResponse(requireFound(await alertStore.findAlert(db, reach, params.alert_id))),
});

export const updateAlert = defineOperation('PATCH /v1/alerts/{alert_id}', {
  summary: 'Changes an alert’s threshold, delivery or status.',
  audit: { action: 'alert.changed', target: 'alert_id' },
  scope: 'alerts:write',
  answer: shapes.alertSchema,
  body: shapes.alertPatchSchema,
  exactNumbers: ['threshold'],
  async handle({ db, caller, reach, params, body: patch }) {
    const { alert_id, type, user_id } = requireFound(await alertStore.findAlert(db, reach, params.alert_id));
    checkThreshold(type, patch, { required: false });
    await checkTariff(db, user_id, patch.threshold);
    await checkDelivery(db, await loadAccessibleUser(db, caller, user_id), patch.delivery);
    return shapes.alertToResponse(
      requireFound(await alertStore.updateAlert(db, reach, alert_id, shapes.alertSettingsToRow(patch))),
    );
  },
});

export const deleteAlert = defineOperation('DELETE /v1/alerts/{alert_id}', {
  summary: 'Deletes an alert.',
  audit: { action: 'alert.deleted', target: 'alert_id' },
  scope: 'alerts:write',
  answer: messageSchema,
  handle: async ({ db, reach, params }) =>
    respondOrThrowNotFound(
      await alertStore.deleteAlert(db, reach, params.alert_id),
      `Alert ${params.alert_id} was deleted`,
    ),
});

export const previewAlert = defineOperation('POST /v1/alerts/preview', {
  summary: 'Returns the periods of the last 90 days in which an alert would have fired. Creates no alert.',
  changes: 'nothing',
  readsFromStandby: true,
  scope: 'alerts:read',
  answer: shapes.alertPreviewSchema,
  status: 200,
  body: shapes.previewedRuleSchema,
  exactNumbers: ['threshold'],
  async handle({ context, db, caller, body: { user_id, ...asked } }) {
    checkThreshold(asked.type, asked, { required: true });
    const user = await loadAccessibleUser(db, caller, user_id);
    await checkTariff(context.readDb, user.user_id, asked.threshold);
    return { user_id: user.user_id, data: await wouldHaveFired(context.readDb, user, asked, context.clock()) };
  },
});

function wouldHaveFired(
  db: Database,
  user: User,
  { type, threshold_kwh, threshold_hours, threshold }: Omit<z.output<typeof shapes.previewedRuleSchema>, 'user_id'>,
  now: Date,
): Promise<HypotheticalFiring[]> {
  if (type === 'no_data') return previewSilenceAlert(db, user.user_id, threshold_hours ?? 0, now);
  if (isCostAlertType(type)) return previewCostAlert(db, user, type, threshold ?? '', now);
  return previewUsageAlert(db, user, type, kwhToMilliwattHours(threshold_kwh ?? 0), now);
}

const THRESHOLDS = ['threshold_kwh', 'threshold', 'threshold_hours'] as const;
type Threshold = (typeof THRESHOLDS)[number];

/** Returns which threshold an alert type uses: hours, money or energy. */
function thresholdOf(type: alertStore.AlertType): Threshold {
  if (type === 'no_data') return 'threshold_hours';
  return isCostAlertType(type) ? 'threshold' : 'threshold_kwh';
}

/**
 * Throws 422 if the request contains a threshold that does not match the alert's type: hours for no_data, money for costs, kWh for all
 * other types.
 */
function checkThreshold(
  type: alertStore.AlertType,
  given: { [One in Threshold]?: unknown },
  { required }: { required: boolean },
): void {
  const wanted = thresholdOf(type);
  const other = THRESHOLDS.find((one) => one !== wanted && given[one] !== undefined);
  if (other)
    throw createUnprocessableError({ field: other, message: `cannot be used with type ${type}, which has ${wanted}` });
  if (required && given[wanted] === undefined) {
    throw createUnprocessableError({ field: wanted, message: `is required with type ${type}` });
  }
}

/** Throws 409 if the threshold is in money but the user has no tariff, and therefore no currency. */
async function checkTariff(db: Database, userId: string, threshold: string | undefined): Promise<void> {
  if (threshold !== undefined && !(await hasTariff(db, userId))) throw new AppError('tariffNeeded');
}

/** Throws 409 if the alert could notify nobody, because the owner has no active webhook subscription or no phone number. */
async function checkDelivery(db: Database, owner: User, delivery: string | undefined): Promise<void> {
  if (delivery === 'sms' && owner.phone === null) {
    throw new AppError('phoneNeeded');
  }
  if (delivery === 'webhook' && !(await hasActiveWebhook(db, owner.user_id, 'alert.triggered'))) {
    throw new AppError('subscriptionNeeded');
  }
}
