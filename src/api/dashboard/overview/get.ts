import { z } from 'zod';
import { overviewAnswer } from '#src/api/dashboard/shapes.ts';
import { id, whole } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { AppError, orNotFound } from '#src/core/errors.ts';
import { newestReadings } from '#src/devices/newest.ts';
import { findDevice } from '#src/devices/store.ts';
import { overview } from '#src/energy/overview.ts';

const query = z.object({
  user_id: id.optional(),
  device_id: id.optional(),
  weeks: whole(1, 12, 12),
});

export const getOverview = operation({
  summary: 'Consumption of a user, or of one device, at a glance, in the user’s time zone.',
  method: 'GET',
  path: '/v1/overview',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: overviewAnswer,
  query,
  async handle({ context, caller, query: { user_id, device_id, weeks } }) {
    const { db, readDb, clock } = context;
    const named = user_id === undefined ? null : await reachUser(db, caller, user_id);
    const device =
      device_id === undefined ? null : orNotFound(await findDevice(db, reachOf(caller), holdable(device_id)));
    if (named && device && device.user_id !== named.user_id) throw new AppError('notFound');
    const user = named ?? (await reachUser(db, caller, device?.user_id));
    const whose = device ? { deviceId: device.device_id } : { userId: user.user_id };
    const [shown, newest] = await Promise.all([
      overview(readDb, whose, { zone: user.timezone, weeks, now: clock() }),
      device ? device.last_seen_at : newestOf(readDb, user.user_id),
    ]);
    return {
      user_id: user.user_id,
      device_id: device?.device_id ?? null,
      newest_at: newest?.toISOString() ?? null,
      ...shown,
    };
  },
});

/** When any device of the account was last heard of. */
async function newestOf(db: Parameters<typeof newestReadings>[0], userId: string): Promise<Date | null> {
  const [row] = await newestReadings(db, [userId]);
  return row?.newest ?? null;
}
