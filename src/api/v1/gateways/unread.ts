import { z } from 'zod';
import { id, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { holdable, reachOf } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { orNotFound } from '#src/core/errors.ts';
import { listUnread } from '#src/devices/unread.ts';
import { unread, unreadToWire } from './shape.ts';

export const unreadMessages = operation({
  summary:
    'Messages through a gateway that no family of devices knows, counted by the shape of their topic, page by page.',
  method: 'GET',
  path: '/v1/gateways/{gateway_id}/unread',
  scope: 'devices:read',
  answer: z.array(unread),
  params: z.object({ gateway_id: id }),
  query: z.object({ ...page }),
  async handle({ context, caller, params, query, reply, url }) {
    const gatewayId = holdable(params.gateway_id);
    const find = async (page: { limit: number; cursor?: string }) =>
      orNotFound(await listUnread(context.db, reachOf(caller), gatewayId, { ...page, now: context.clock() }));
    const rows = await pageOf(reply, url, defined(query), find, ({ shape }) => shape);
    // A payload may be anything that a household's broker says: its owner's own.
    return rows.map((row) => unreadToWire(caller.groupId ? { ...row, example: null } : row));
  },
});
