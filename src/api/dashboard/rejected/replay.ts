import { z } from 'zod';
import { adminOnly } from '#src/api/dashboard/admin-only.ts';
import { replayed } from '#src/api/dashboard/shapes.ts';
import { idField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { toIdOrNotFound } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';

/** Maximum duration of a replay, because a person waits for the response. The next request continues with the remaining messages. */
const MAX_DURATION_MS = 20_000;

export const replayRejected = defineOperation({
  summary: 'Tries rejected messages again, of one device or all; what is usable now is stored. For administrators.',
  method: 'POST',
  changes: 'piece by piece',
  path: '/v1/rejected/replay',
  audit: { action: 'rejected.replayed', target: 'device_id' },
  scope: 'devices:write',
  answer: replayed,
  status: 200,
  body: z.strictObject({ device_id: idField.optional() }).optional(),
  async handle({ context: { rejected }, caller, body, whileAllowed }) {
    adminOnly(caller);
    if (!rejected) throw new AppError('unavailable');
    const which = omitUndefined({
      deviceId: body?.device_id === undefined ? undefined : toIdOrNotFound(body.device_id),
    });
    const done = await rejected.replay(which, AbortSignal.timeout(MAX_DURATION_MS), (page) =>
      whileAllowed((anew) => {
        adminOnly(anew);
        return page();
      }),
    );
    if (!done) throw new AppError('unavailable');
    const { isComplete, ...counts } = done;
    return { ...counts, complete: isComplete };
  },
});
