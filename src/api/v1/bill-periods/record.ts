import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { recordBill } from '#src/billing/store.ts';
import { orNotFound } from '#src/core/errors.ts';
import { mayBill } from './bills.ts';
import { billDetails, detailsToWire } from './shape.ts';

export const recordBillVersion = operation({
  summary: 'Records what is known of an open bill period now as a further version. For utilities and administrators.',
  method: 'POST',
  path: '/v1/bill-periods/{bill_period_id}/versions',
  audit: { action: 'bill_period.recorded', target: 'bill_period_id' },
  scope: 'devices:write',
  answer: billDetails,
  params: z.object({ bill_period_id: id }),
  async handle({ context, caller, params }) {
    mayBill(caller);
    const id = holdable(params.bill_period_id);
    return detailsToWire(orNotFound(await recordBill(context.db, reachOf(caller), id, context.clock())));
  },
});
