import { z } from 'zod';
import type { ApiContext } from '#src/api/context.ts';
import { dateField, userIdField } from '#src/api/fields.ts';
import { deviceId } from '#src/api/shapes.ts';
import { reachOf, reachUser, toIdOrNotFound } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { findNewestReadings } from '#src/devices/newest-readings.ts';
import { findDevice } from '#src/devices/store.ts';
import { PERIOD_UNITS } from '#src/energy/period/days.ts';

/** Query of a period: the calendar unit in which the date lies, for a home or a device. */
export const periodQuery = z.object({
  user_id: userIdField.optional(),
  device_id: deviceId.describe('Id of a device of the user. Default: the whole home.').optional(),
  unit: z.enum(PERIOD_UNITS).describe('Calendar unit of the period. A week begins on Monday.'),
  date: dateField.describe('A day of the period, in the time zone of the user.'),
});

/** Returns the home or device of the period, if the caller reaches it, and the time of its newest reading. */
export async function findPeriodOwner(
  { db, readDb }: ApiContext,
  caller: Caller,
  { user_id, device_id }: { user_id?: string | undefined; device_id?: string | undefined },
) {
  const named = user_id === undefined ? null : await reachUser(db, caller, user_id);
  const device =
    device_id === undefined ? null : requireFound(await findDevice(db, reachOf(caller), toIdOrNotFound(device_id)));
  if (named && device && device.user_id !== named.user_id) throw new AppError('notFound');
  const user = named ?? (await reachUser(db, caller, device?.user_id));
  const newest = device ? device.last_seen_at : await newestOf(readDb, user.user_id);
  return { userId: user.user_id, deviceId: device?.device_id, zone: user.timezone, newest };
}

/** Returns the time of the newest reading of any device of the account. */
async function newestOf(db: Database, userId: string): Promise<Date | null> {
  const [row] = await findNewestReadings(db, [userId]);
  return row?.newest ?? null;
}
