import { z } from 'zod';
import { ofUser, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';
import { listGateways as list } from '#src/devices/gateways.ts';
import { gateway, toWire } from './shape.ts';

export const listGateways = operation({
  summary: 'The gateways of a user, page by page.',
  method: 'GET',
  path: '/v1/gateways',
  scope: 'devices:read',
  answer: z.array(gateway),
  query: z.object({ user_id: ofUser.optional(), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) => list(context.db, reachOf(caller), userId, page);
    const rows = await pageOf(reply, url, asked, find, (one) => one.gateway_id);
    return rows.map(toWire);
  },
});
