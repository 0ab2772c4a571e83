import { z } from 'zod';
import { powerAnswer } from '#src/api/dashboard/shapes.ts';
import { idField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { reachUserId } from '#src/auth/access.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { powerTrail } from '#src/energy/period/power-now.ts';

export const getPower = defineOperation({
  summary:
    'The measured power of a user’s home over the last ten minutes; what follows comes with `GET /v1/usage/stream`.',
  method: 'GET',
  path: '/v1/power',
  readsFromStandby: true,
  scope: 'insights:read',
  answer: powerAnswer,
  query: z.object({ user_id: idField.optional() }),
  async handle({ context: { db, readDb, clock }, caller, query: { user_id } }) {
    const userId = await reachUserId(db, caller, user_id);
    const home = await loadHome(readDb, userId, { isMoreAsked: false, needsConsumption: false });
    const now = clock();
    return { now: now.toISOString(), trail: await powerTrail(readDb, home, now) };
  },
});
