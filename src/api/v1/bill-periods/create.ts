import { operation } from '#src/api/operation.ts';
import { holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { createBillPeriod as create } from '#src/billing/store.ts';
import { orNotFound, unprocessable } from '#src/core/errors.ts';
import { findPairing } from '#src/devices/store.ts';
import { dayCount, dayRange } from '#src/energy/ranges.ts';
import { mayBill } from './bills.ts';
import { billDetails, detailsToWire, newBillPeriod } from './shape.ts';

const MOST_DAYS = 366;

export const createBillPeriod = operation({
  summary:
    'Makes a bill period of a home or a device, and records what is known of it: energy, register readings at both ends, what is estimated, with a checksum. For utilities and administrators.',
  method: 'POST',
  path: '/v1/bill-periods',
  audit: { action: 'bill_period.created', target: 'bill_period_id' },
  scope: 'devices:write',
  answer: billDetails,
  body: newBillPeriod,
  async handle({ context, caller, body: { user_id, device_id, start, end } }) {
    mayBill(caller);
    // One that was deleted is billed to its end.
    const device =
      device_id === undefined ? null : orNotFound(await findPairing(context.db, reachOf(caller), holdable(device_id)));
    const owner = await reachUser(context.db, caller, device?.user_id ?? user_id);
    if (end < start) throw unprocessable({ field: 'end', message: 'must not lie before start' });
    if (dayCount(start, end) > MOST_DAYS)
      throw unprocessable({ field: 'end', message: `must be within ${MOST_DAYS} days of start` });
    const { from, to, zone } = dayRange(start, end, owner.timezone);
    const now = context.clock();
    if (from > now) throw unprocessable({ field: 'start', message: 'must not lie in the future' });
    const billed = { userId: owner.user_id, deviceId: device?.device_id ?? null };
    return detailsToWire(await create(context.db, billed, { start, end, zone, from, to }, now));
  },
});
