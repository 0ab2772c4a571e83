import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { findBillPeriod } from '#src/billing/store.ts';
import { orNotFound } from '#src/core/errors.ts';
import { billDetails, detailsToWire } from './shape.ts';

export const getBillPeriod = operation({
  summary: 'One bill period: what was told first and last, what is known now, the difference, and all versions.',
  method: 'GET',
  path: '/v1/bill-periods/{bill_period_id}',
  scope: 'insights:read',
  answer: billDetails,
  params: z.object({ bill_period_id: id }),
  handle: async ({ context, caller, params }) =>
    detailsToWire(orNotFound(await findBillPeriod(context.db, reachOf(caller), holdable(params.bill_period_id)))),
});
