import { z } from 'zod';
import { page } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf } from '#src/auth/access.ts';
import { listBatches } from '#src/onboarding/batches.ts';
import { batch, toWire } from './shape.ts';

export const listProvisioningBatches = operation({
  summary:
    'The provisioning batches that the caller made, those that ended too, page by page; an administrator’s list has all.',
  method: 'GET',
  path: '/v1/provisioning-batches',
  scope: 'devices:read',
  answer: z.array(batch),
  query: z.object(page),
  async handle({ context, caller, query, reply, url }) {
    const find = (asked: { limit: number; cursor?: string }) => listBatches(context.db, reachOf(caller), asked);
    const rows = await pageOf(reply, url, query, find, (one) => one.batch_id);
    return rows.map(toWire);
  },
});
