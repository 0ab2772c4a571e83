import { z } from 'zod';
import type { RollupsPort } from '#src/api/context.ts';
import { adminOnly } from '#src/api/dashboard/admin-only.ts';
import { runOneAtATime } from '#src/api/dashboard/one-at-a-time.ts';
import { rollupCheck } from '#src/api/dashboard/shapes.ts';
import { idField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { firstCheckedMonth } from '#src/rollups/check.ts';
import { checkAllRollups } from '#src/rollups/mend.ts';

/** Maximum duration of a check, because a person waits for the response. All users are checked every night. */
const MAX_DURATION_MS = 20_000;

const check = runOneAtATime(
  ({ pool, capabilities, retentionMonths }: RollupsPort, now: Date, userId: string | undefined) =>
    checkAllRollups(pool, {
      capabilities,
      since: firstCheckedMonth(now, retentionMonths),
      mode: 'check',
      signal: AbortSignal.timeout(MAX_DURATION_MS),
      ...omitUndefined({ userId }),
    }),
);

export const checkRollups = defineOperation({
  summary:
    'Compares the aggregates with the load profile, of one user or of as many as 20 s allow. For administrators.',
  method: 'POST',
  changes: 'nothing',
  path: '/v1/rollups/check',
  scope: 'insights:read',
  answer: rollupCheck,
  status: 200,
  body: z.strictObject({ user_id: idField.optional() }).optional(),
  async handle({ context, caller, body }) {
    adminOnly(caller);
    const { rollups, db, clock } = context;
    if (!rollups) throw new AppError('unavailable');
    const user = body?.user_id === undefined ? undefined : await reachUser(db, caller, body.user_id);
    const { users, checked, differing, differences } = await check(rollups, clock(), user?.user_id);
    return { users, checked, differences, truncated: differing > differences.length };
  },
});
