import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { deletePriceSeries as remove } from '#src/tariffs/price-series.ts';

export const deletePriceSeries = operation({
  summary: 'Removes a price series and its prices, unless a tariff uses it.',
  method: 'DELETE',
  path: '/v1/price-series/{series_id}',
  audit: { action: 'price_series.deleted', target: 'series_id' },
  scope: 'tariffs:write',
  answer: shapes.message,
  params: z.object({ series_id: id }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), holdable(params.series_id)))) throw new AppError('notFound');
    return { message: `Price series ${params.series_id} was deleted` };
  },
});
