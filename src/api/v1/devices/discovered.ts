import { z } from 'zod';
import { ofUser, page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';
import { listDiscovered } from '#src/devices/gateways.ts';
import { discovered, discoveredToWire } from './shape.ts';

export const discoveredDevices = operation({
  summary: 'Devices heard through a user’s gateways that are not paired, page by page.',
  method: 'GET',
  path: '/v1/devices/discovered',
  scope: 'devices:read',
  answer: z.array(discovered),
  query: z.object({ user_id: ofUser.optional(), ...page }),
  async handle({ context, caller, query: { user_id, ...asked }, reply, url }) {
    const userId = await reachUserId(context.db, caller, user_id);
    const find = (page: { limit: number; cursor?: string }) =>
      listDiscovered(context.db, reachOf(caller), userId, page);
    const rows = await pageOf(reply, url, asked, find, (one) => one.discovery_id);
    return rows.map(discoveredToWire);
  },
});
