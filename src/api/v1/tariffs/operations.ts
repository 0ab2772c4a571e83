import { z } from 'zod';
import { paginationFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import { loadAccessibleUser, resolveRequestedUserId } from '#src/auth/access.ts';
import { requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { compareOffers } from '#src/cost/compare.ts';
import * as tariffStore from '#src/tariffs/store.ts';
import { parseTariff } from '#src/tariffs/terms.ts';
import { prepareLongCalculation } from '../calculation.ts';
import * as shapes from './shape.ts';

export const createTariff = defineOperation('POST /v1/tariffs', {
  summary: 'Creates a tariff: the prices of a user’s energy from a day on, and the payments for exported energy.',
  audit: { action: 'tariff.created', target: 'tariff_id' },
  scope: 'tariffs:write',
  answer: shapes.tariffSchema,
  body: shapes.newTariffSchema,
  exactNumbers: true,
  async handle({ db, caller, body: { user_id, name, valid_from, currency, ...terms } }) {
    const owner = await loadAccessibleUser(db, caller, user_id);
    return shapes.tariffToResponse(
      await tariffStore.createTariff(db, { userId: owner.user_id, name, valid_from, currency, terms }),
    );
  },
});

export const listTariffs = defineOperation('GET /v1/tariffs', {
  summary: 'Lists the tariffs of a user in order of `valid_from`, page by page.',
  scope: 'tariffs:read',
  answer: z.array(shapes.tariffSchema),
  query: z.object({ user_id: userIdField.optional(), ...paginationFields }),
  async handle({ db, caller, reach, query: { user_id }, page }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const rows = await page('valid_from', (at) => tariffStore.listTariffs(db, reach, userId, at));
    return rows.map(shapes.tariffToResponse);
  },
});

export const getTariff = defineOperation('GET /v1/tariffs/{tariff_id}', {
  summary: 'Returns one tariff.',
  scope: 'tariffs:read',
  answer: shapes.tariffSchema,
  handle: async ({ db, reach, params }) =>
    shapes.tariffToResponse(requireFound(await tariffStore.findTariff(db, reach, params.tariff_id))),
});

export const updateTariff = defineOperation('PATCH /v1/tariffs/{tariff_id}', {
  summary: 'Changes a tariff. The change also applies to the past that the tariff covers.',
  audit: { action: 'tariff.changed', target: 'tariff_id' },
  scope: 'tariffs:write',
  answer: shapes.tariffSchema,
  body: shapes.tariffPatchSchema,
  exactNumbers: true,
  async handle({ db, reach, params, body: { name, valid_from, currency, ...terms } }) {
    const patch = { ...omitUndefined({ name, valid_from, currency }), terms: omitUndefined(terms) };
    return shapes.tariffToResponse(requireFound(await tariffStore.updateTariff(db, reach, params.tariff_id, patch)));
  },
});

export const deleteTariff = defineOperation('DELETE /v1/tariffs/{tariff_id}', {
  summary: 'Deletes a tariff. The previous tariff then applies to its time.',
  audit: { action: 'tariff.deleted', target: 'tariff_id' },
  scope: 'tariffs:write',
  answer: messageSchema,
  handle: async ({ db, reach, params }) =>
    respondOrThrowNotFound(
      await tariffStore.deleteTariff(db, reach, params.tariff_id),
      `Tariff ${params.tariff_id} was deleted`,
    ),
});

export const compareTariffs = defineOperation('POST /v1/tariffs/compare', {
  summary:
    'Computes the cost of a range under other tariffs, each as if it had been in force for the whole range. Stores nothing. Counts as 10 requests; only one runs at a time for each account.',
  changes: 'nothing',
  countsAs: 10,
  readsFromStandby: true,
  scope: ['insights:read', 'tariffs:read'],
  answer: shapes.comparisonResponseSchema,
  status: 200,
  body: shapes.comparisonSchema,
  exactNumbers: true,
  async handle({ context, db, caller, reach, body: { user_id, start, end, tariffs } }) {
    const { userId, ...asked } = await prepareLongCalculation(context, caller, { user_id, start, end });
    const offers = tariffs.map(({ name, currency, ...terms }) => ({ name, currency, terms }));
    await tariffStore.assertOfferSeriesUsable(db, { reach, userId }, offers);
    const parsed = offers.map((one) => parseTariff({ ...one, tariff_id: '', user_id: userId, valid_from: start }));
    const compared = await asked.run((calculator, signal) =>
      compareOffers(context.readDb, calculator, { userId, ...asked, offers: parsed }, signal),
    );
    return { user_id: userId, start, end, ...compared };
  },
});
