import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { orNotFound } from '#src/core/errors.ts';
import { updateTariff as update } from '#src/tariffs/store.ts';
import { tariff, tariffPatch, toWire } from './shape.ts';

export const updateTariff = operation({
  summary: 'Changes a tariff. What changes holds for the past that it covers, too.',
  method: 'PATCH',
  path: '/v1/tariffs/{tariff_id}',
  audit: { action: 'tariff.changed', target: 'tariff_id' },
  scope: 'tariffs:write',
  answer: tariff,
  params: z.object({ tariff_id: id }),
  body: tariffPatch,
  exactNumbers: true,
  async handle({ context, caller, params, body: { name, valid_from, currency, ...terms } }) {
    const patch = { ...defined({ name, valid_from, currency }), terms: defined(terms) };
    return toWire(orNotFound(await update(context.db, reachOf(caller), holdable(params.tariff_id), patch)));
  },
});
