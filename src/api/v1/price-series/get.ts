import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { findUsableSeries } from '#src/tariffs/price-series.ts';
import { series, toWire } from './shape.ts';

export const getPriceSeries = operation({
  summary: 'One price series, of those that the caller can use too.',
  method: 'GET',
  path: '/v1/price-series/{series_id}',
  scope: 'tariffs:read',
  answer: series,
  params: z.object({ series_id: id }),
  async handle({ context, caller, params }) {
    const by = { reach: reachOf(caller), userId: caller.userId };
    return toWire(orNotFound(await findUsableSeries(context.db, by, holdable(params.series_id))));
  },
});
