import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { deleteBillPeriod as remove } from '#src/billing/store.ts';
import { AppError } from '#src/core/errors.ts';
import { mayBill } from './bills.ts';

export const deleteBillPeriod = operation({
  summary: 'Removes an open bill period: a closed one stays. For utilities and administrators.',
  method: 'DELETE',
  path: '/v1/bill-periods/{bill_period_id}',
  audit: { action: 'bill_period.deleted', target: 'bill_period_id' },
  scope: 'devices:write',
  answer: shapes.message,
  params: z.object({ bill_period_id: id }),
  async handle({ context, caller, params }) {
    mayBill(caller);
    if (!(await remove(context.db, reachOf(caller), holdable(params.bill_period_id)))) throw new AppError('notFound');
    return { message: `Bill period ${params.bill_period_id} was removed` };
  },
});
