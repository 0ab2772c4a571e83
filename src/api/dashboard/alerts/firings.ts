import { z } from 'zod';
import { listFirings, type PastFiring } from '#src/alerts/firings.ts';
import { findAlert } from '#src/alerts/store.ts';
import { firing } from '#src/api/dashboard/shapes.ts';
import { idField, pageFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import { reachOf, toIdOrNotFound } from '#src/auth/access.ts';
import { requireFound } from '#src/core/errors.ts';
import { milliwattHoursToKwh } from '#src/core/units.ts';

export const alertFirings = defineOperation({
  summary: 'When an alert fired, the youngest first, page by page.',
  method: 'GET',
  path: '/v1/alerts/{alert_id}/firings',
  scope: 'alerts:read',
  answer: z.array(firing),
  params: z.object({ alert_id: idField }),
  query: z.object({ ...pageFields }),
  async handle({ context, caller, params, query, reply, url }) {
    const reach = reachOf(caller);
    const { alert_id } = requireFound(await findAlert(context.db, reach, toIdOrNotFound(params.alert_id)));
    const find = (page: { limit: number; cursor?: string }) => listFirings(context.db, reach, alert_id, page);
    const rows = await fetchPage(reply, url, query, find, (one) => one.event_id);
    return rows.map(toWire);
  },
});

const toWire = (row: PastFiring): z.output<typeof firing> => ({
  fired_at: row.fired_at.toISOString(),
  period_start: row.period_start.toISOString(),
  period_end: row.period_end?.toISOString() ?? null,
  kwh_used: row.total_milliwatt_hours === null ? null : milliwattHoursToKwh(row.total_milliwatt_hours),
  cost: row.total_cost,
  currency: row.currency,
  device_id: row.device_id === '' ? null : row.device_id,
  event_id: row.event_id,
});
