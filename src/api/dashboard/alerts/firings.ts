import { z } from 'zod';
import { listFirings } from '#src/alerts/firings.ts';
import { findAlert } from '#src/alerts/store.ts';
import { firing } from '#src/api/dashboard/shapes.ts';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { orNotFound } from '#src/core/errors.ts';

export const alertFirings = operation({
  summary: 'When an alert fired, the youngest first, page by page.',
  method: 'GET',
  path: '/v1/alerts/{alert_id}/firings',
  scope: 'alerts:read',
  answer: z.array(firing),
  params: z.object({ alert_id: id }),
  query: z.object({ ...page }),
  async handle({ context, caller, params, query, reply, url }) {
    const reach = reachOf(caller);
    const { alert_id } = orNotFound(await findAlert(context.db, reach, holdable(params.alert_id)));
    const find = (page: { limit: number; cursor?: string }) => listFirings(context.db, reach, alert_id, page);
    return pageOf(reply, url, query, find, (one) => one.event_id);
  },
});
