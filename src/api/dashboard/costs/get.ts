import { z } from 'zod';
import { costsAnswer } from '#src/api/dashboard/shapes.ts';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { AppError, orNotFound } from '#src/core/errors.ts';
import { costGlance } from '#src/cost/glance.ts';
import { findDevice } from '#src/devices/store.ts';

export const getCosts = operation({
  summary: 'What a user’s home, or one of its devices, costs at a glance, in the user’s time zone.',
  method: 'GET',
  path: '/v1/costs',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: costsAnswer,
  query: z.object({ user_id: id.optional(), device_id: id.optional() }),
  async handle({ context, caller, query: { user_id, device_id } }) {
    const { db, readDb, clock } = context;
    const user = await reachUser(db, caller, user_id);
    if (device_id !== undefined) {
      const device = orNotFound(await findDevice(db, reachOf(caller), holdable(device_id)));
      if (device.user_id !== user.user_id) throw new AppError('notFound');
    }
    const buyer = { userId: user.user_id, ...(device_id === undefined ? {} : { deviceId: device_id }) };
    return costGlance(readDb, buyer, { zone: user.timezone, now: clock() });
  },
});
