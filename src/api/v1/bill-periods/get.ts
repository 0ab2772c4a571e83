import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { formatOf } from '#src/api/tables/accept.ts';
import { tableOf } from '#src/api/tables/table.ts';
import { greenButtonAnswer } from '#src/api/v1/energy-insights/green-button.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { findBillPeriod } from '#src/billing/store.ts';
import { orNotFound } from '#src/core/errors.ts';
import { BILL_COLUMNS, billRows, greenButtonStatement } from './bill-export.ts';
import { billDetails, detailsToWire } from './shape.ts';

export const getBillPeriod = operation({
  summary:
    'One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum.',
  method: 'GET',
  path: '/v1/bill-periods/{bill_period_id}',
  scope: 'insights:read',
  answer: billDetails,
  formats: ['csv', 'xlsx', 'greenButton'],
  params: z.object({ bill_period_id: id }),
  async handle({ context, caller, params, accepts, reply }) {
    const format = formatOf(accepts, ['csv', 'xlsx', 'greenButton']);
    const found = orNotFound(await findBillPeriod(context.db, reachOf(caller), holdable(params.bill_period_id)));
    const details = detailsToWire(found);
    if (format === 'json') return details;
    const { last_told: told, user_id, device_id, start, end, timezone: zone } = details;
    if (format !== 'greenButton') return tableOf(reply, format, billRows(told), BILL_COLUMNS);
    const buyer = { userId: user_id, ...(device_id === null ? {} : { deviceId: device_id }) };
    const wanted = { start, end, groupBy: 'hour' as const };
    return greenButtonAnswer(context, reply, {
      callerId: caller.userId,
      buyer,
      wanted,
      zone,
      told: greenButtonStatement(told),
    });
  },
});
