import { z } from 'zod';
import { ofUser, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';
import { listDevices as list } from '#src/devices/store.ts';
import { device, toWire } from './shape.ts';

export const listDevices = operation({
  summary: 'The devices of a user, page by page.',
  method: 'GET',
  path: '/v1/devices',
  scope: 'devices:read',
  answer: z.array(device),
  query: z.object({ user_id: ofUser.optional(), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => list(context.db, reachOf(caller), userId, page);
    const rows = await pageOf(reply, url, asked, find, (one) => one.device_id);
    return rows.map(toWire);
  },
});
