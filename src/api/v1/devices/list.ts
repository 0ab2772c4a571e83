import { z } from 'zod';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import * as shapes from '#src/api/shapes.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';
import { listDevices as list } from '#src/devices/store.ts';

export const listDevices = operation({
  summary: 'The devices of a user, page by page.',
  method: 'GET',
  path: '/v1/devices',
  scope: 'devices:read',
  answer: z.array(shapes.device),
  query: z.object({ user_id: id.optional(), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    return pageOf(
      reply,
      url,
      asked,
      (page) => list(context.db, reachOf(caller), userId, page),
      (one) => one.device_id,
    );
  },
});
