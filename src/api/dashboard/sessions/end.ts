import { z } from 'zod';
import { idField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { toIdOrNotFound } from '#src/auth/access.ts';
import { evictSession } from '#src/auth/sessions.ts';
import { AppError } from '#src/core/errors.ts';

export const endUserSession = defineOperation({
  summary: 'Ends one of the caller’s own sessions.',
  method: 'DELETE',
  path: '/v1/sessions/{session_id}',
  forOwnerOnly: true,
  audit: { action: 'session.ended', target: 'session_id' },
  scope: 'keys:write',
  answer: shapes.message,
  params: z.object({ session_id: idField }),
  async handle({ context, caller, params }) {
    if (!(await evictSession(context.db, caller.userId, toIdOrNotFound(params.session_id))))
      throw new AppError('notFound');
    return { message: `Session ${params.session_id} was ended` };
  },
});
