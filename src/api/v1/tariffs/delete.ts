import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { deleteTariff as remove } from '#src/tariffs/store.ts';

export const deleteTariff = operation({
  summary: 'Removes a tariff. The one before it holds in its place.',
  method: 'DELETE',
  path: '/v1/tariffs/{tariff_id}',
  audit: { action: 'tariff.deleted', target: 'tariff_id' },
  scope: 'tariffs:write',
  answer: shapes.message,
  params: z.object({ tariff_id: id }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), holdable(params.tariff_id)))) throw new AppError('notFound');
    return { message: `Tariff ${params.tariff_id} was deleted` };
  },
});
