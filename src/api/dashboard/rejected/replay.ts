import { z } from 'zod';
import { adminOnly } from '#src/api/dashboard/admin-only.ts';
import { oneAtATime } from '#src/api/dashboard/one-at-a-time.ts';
import { replayed } from '#src/api/dashboard/shapes.ts';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { holdable } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import type { RejectedPort } from './port.ts';

// Two at once would each put what stays rejected on the list again.
const replay = oneAtATime((rejected: RejectedPort, which: { deviceId?: string }) => rejected.replay(which));

export const replayRejected = operation({
  summary: 'Tries rejected messages again, of one device or all; what is usable now is stored. For administrators.',
  method: 'POST',
  path: '/v1/rejected/replay',
  scope: 'devices:write',
  answer: replayed,
  status: 200,
  body: z.strictObject({ device_id: id.optional() }).optional(),
  async handle({ context: { rejected }, caller, body }) {
    adminOnly(caller);
    if (!rejected) throw new AppError('unavailable');
    return replay(rejected, body?.device_id === undefined ? {} : { deviceId: holdable(body.device_id) });
  },
});
