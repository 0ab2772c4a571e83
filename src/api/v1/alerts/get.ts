import { z } from 'zod';
import { findAlert } from '#src/alerts/store.ts';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';
import { alert, toWire } from './shape.ts';

export const getAlert = operation({
  summary: 'One alert.',
  method: 'GET',
  path: '/v1/alerts/{alert_id}',
  scope: 'alerts:read',
  answer: alert,
  params: z.object({ alert_id: id }),
  handle: async ({ context, caller, params }) =>
    toWire(orNotFound(await findAlert(context.db, reachOf(caller), holdable(params.alert_id)))),
});
