import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { closeBillPeriod as close } from '#src/billing/store.ts';
import { orNotFound } from '#src/core/errors.ts';
import { mayBill } from './bills.ts';
import { billDetails, detailsToWire } from './shape.ts';

export const closeBillPeriod = operation({
  summary:
    'Closes a bill period that is over: what changes of its days later is billed with the next open one, as an adjustment. For utilities and administrators.',
  method: 'POST',
  path: '/v1/bill-periods/{bill_period_id}/close',
  status: 200,
  audit: { action: 'bill_period.closed', target: 'bill_period_id' },
  scope: 'devices:write',
  answer: billDetails,
  params: z.object({ bill_period_id: id }),
  async handle({ context, caller, params }) {
    mayBill(caller);
    const id = holdable(params.bill_period_id);
    return detailsToWire(orNotFound(await close(context.db, reachOf(caller), id, context.clock())));
  },
});
