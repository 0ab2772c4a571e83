import { z } from 'zod';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { linkNext } from '#src/api/pages.ts';
import { reachUser } from '#src/auth/access.ts';
import { listDevices as list } from '#src/devices/store.ts';

/** The devices of a user. */
export const listDevices = operation({
  method: 'GET',
  path: '/v1/devices',
  scope: 'devices:read',
  query: z.object({ user_id: id.optional(), ...page }),
  async handle({ context, caller, query: { user_id, limit, cursor }, reply, url }) {
    const user = await reachUser(context.db, caller, user_id);
    const found = await list(context.db, user.user_id, {
      limit: limit + 1,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const shown = found.slice(0, limit);
    if (found.length > limit) linkNext(reply, url, shown.at(-1)?.device_id ?? '');
    return shown;
  },
});
