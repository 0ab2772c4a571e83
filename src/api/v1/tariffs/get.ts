import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findTariff } from '#src/tariffs/store.ts';
import { tariff, toWire } from './shape.ts';

export const getTariff = operation({
  summary: 'One tariff.',
  method: 'GET',
  path: '/v1/tariffs/{tariff_id}',
  scope: 'tariffs:read',
  answer: tariff,
  params: z.object({ tariff_id: id }),
  handle: async ({ context, caller, params }) =>
    toWire(orNotFound(await findTariff(context.db, reachOf(caller), holdable(params.tariff_id)))),
});
