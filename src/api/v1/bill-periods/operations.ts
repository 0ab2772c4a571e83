import { z } from 'zod';
import { idField, paginationFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { formatTable } from '#src/api/tables/table.ts';
import { streamGreenButtonFeed } from '#src/api/v1/energy-insights/green-button.ts';
import { loadAccessibleUser, requireStorableId, resolveRequestedUserId } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import * as billStore from '#src/billing/store.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { findDeviceOwner } from '#src/devices/store.ts';
import { countDays, createDayRange } from '#src/energy/ranges.ts';
import { BILL_COLUMNS, createGreenButtonStatement, listBillRows } from './bill-export.ts';
import {
  billDetailsSchema,
  billDetailsToResponse,
  billPeriodSchema,
  billPeriodToResponse,
  newBillPeriodSchema,
} from './shape.ts';

const MAX_DAYS = 366;

export const createBillPeriod = defineOperation('POST /v1/bill-periods', {
  summary:
    'Creates a bill period of a home or a device, and records its first version: energy, register readings at both ends, estimated energy and a checksum. For utilities and administrators.',
  audit: { action: 'bill_period.created', target: 'bill_period_id' },
  scope: 'devices:write',
  answer: billDetailsSchema,
  body: newBillPeriodSchema,
  async handle({ context, db, caller, reach, body: { user_id, device_id, start, end } }) {
    mayBill(caller);
    // The energy of a deleted device is billed up to its deletion.
    const device =
      device_id === undefined ? null : requireFound(await findDeviceOwner(db, reach, requireStorableId(device_id)));
    const owner = await loadAccessibleUser(db, caller, device?.user_id ?? user_id);
    if (end < start) throw createUnprocessableError({ field: 'end', message: 'must not lie before start' });
    if (countDays(start, end) > MAX_DAYS)
      throw createUnprocessableError({ field: 'end', message: `must be within ${MAX_DAYS} days of start` });
    const { from, to, zone } = createDayRange(start, end, owner.timezone);
    const now = context.clock();
    if (from > now) throw createUnprocessableError({ field: 'start', message: 'must not lie in the future' });
    const billed = { userId: owner.user_id, deviceId: device?.device_id ?? null };
    return billDetailsToResponse(await billStore.createBillPeriod(db, billed, { start, end, zone, from, to }, now));
  },
});

export const listBillPeriods = defineOperation('GET /v1/bill-periods', {
  summary: 'Lists the bill periods of a user, each with its latest version, page by page.',
  scope: 'insights:read',
  answer: z.array(billPeriodSchema),
  formats: ['csv', 'xlsx'],
  query: z.object({
    user_id: userIdField.optional(),
    device_id: idField
      .optional()
      .describe('Id of a device: only its bill periods. Default: all bill periods of the user.'),
    ...paginationFields,
  }),
  async handle({ db, caller, reach, query: { user_id, device_id }, format, reply, page }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const of = { userId, deviceId: device_id === undefined ? undefined : requireStorableId(device_id) };
    const idOf = ({ period }: { period: billStore.BillPeriod }) => period.bill_period_id;
    const found = await page(idOf, (at) => billStore.listBillPeriods(db, reach, of, at));
    const rows = found.map(({ period, last }) => billPeriodToResponse(period, last));
    return format === 'json' ? rows : formatTable(reply, format, rows, Object.keys(billPeriodSchema.shape));
  },
});

export const getBillPeriod = defineOperation('GET /v1/bill-periods/{bill_period_id}', {
  summary:
    'Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum.',
  scope: 'insights:read',
  answer: billDetailsSchema,
  formats: ['csv', 'xlsx', 'greenButton'],
  async handle({ context, db, caller, reach, params, format, reply }) {
    const found = requireFound(await billStore.findBillPeriod(db, reach, params.bill_period_id));
    const details = billDetailsToResponse(found);
    if (format === 'json') return details;
    const { last_told: told, user_id, device_id, start, end, timezone: zone } = details;
    if (format !== 'greenButton') return formatTable(reply, format, listBillRows(told), BILL_COLUMNS);
    const buyer = { userId: user_id, ...(device_id === null ? {} : { deviceId: device_id }) };
    const wanted = { start, end, groupBy: 'hour' as const };
    return streamGreenButtonFeed(context, reply, {
      callerId: caller.accountId,
      buyer,
      wanted,
      zone,
      told: createGreenButtonStatement(told),
    });
  },
});

export const recordBillVersion = defineOperation('POST /v1/bill-periods/{bill_period_id}/versions', {
  summary: 'Records the current values of an open bill period as a new version. For utilities and administrators.',
  audit: { action: 'bill_period.recorded', target: 'bill_period_id' },
  scope: 'devices:write',
  answer: billDetailsSchema,
  async handle({ context, db, caller, reach, params }) {
    mayBill(caller);
    return billDetailsToResponse(
      requireFound(await billStore.recordBill(db, reach, params.bill_period_id, context.clock())),
    );
  },
});

export const closeBillPeriod = defineOperation('POST /v1/bill-periods/{bill_period_id}/close', {
  summary:
    'Closes a bill period that is over. The next open period bills later changes of its days as an adjustment. For utilities and administrators.',
  status: 200,
  audit: { action: 'bill_period.closed', target: 'bill_period_id' },
  scope: 'devices:write',
  answer: billDetailsSchema,
  async handle({ context, db, caller, reach, params }) {
    mayBill(caller);
    return billDetailsToResponse(
      requireFound(await billStore.closeBillPeriod(db, reach, params.bill_period_id, context.clock())),
    );
  },
});

export const deleteBillPeriod = defineOperation('DELETE /v1/bill-periods/{bill_period_id}', {
  summary: 'Deletes an open bill period. A closed period cannot be deleted. For utilities and administrators.',
  audit: { action: 'bill_period.deleted', target: 'bill_period_id' },
  scope: 'devices:write',
  answer: shapes.messageSchema,
  async handle({ db, caller, reach, params }) {
    mayBill(caller);
    return shapes.respondOrThrowNotFound(
      await billStore.deleteBillPeriod(db, reach, params.bill_period_id),
      `Bill period ${params.bill_period_id} was deleted`,
    );
  },
});

/** Throws 403 unless the caller is a utility or an administrator. Homeowners may read bill periods but not change them. */
function mayBill({ role }: Caller): void {
  if (role === 'homeowner') throw new AppError('forbidden');
}
