import { z } from 'zod';
import { deleteAlert as remove } from '#src/alerts/store.ts';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';

export const deleteAlert = operation({
  summary: 'Removes an alert.',
  method: 'DELETE',
  path: '/v1/alerts/{alert_id}',
  audit: { action: 'alert.deleted', target: 'alert_id' },
  scope: 'alerts:write',
  answer: shapes.message,
  params: z.object({ alert_id: id }),
  async handle({ context, caller, params }) {
    if (!(await remove(context.db, reachOf(caller), holdable(params.alert_id)))) throw new AppError('notFound');
    return { message: `Alert ${params.alert_id} was deleted` };
  },
});
