import { z } from 'zod';
import { swapGuesses } from '#src/api/dashboard/shapes.ts';
import { idField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { editingBy } from '#src/api/v1/devices/edits.ts';
import { reachOf, reachUserId, toIdOrNotFound } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { answerSuspectedMeterSwap, listSuspectedMeterSwaps } from '#src/devices/edits/swaps.ts';

export const listSwaps = defineOperation({
  summary:
    'Registers of a user’s devices that went back or leapt, so that they are taken for another meter’s, which nobody has confirmed.',
  method: 'GET',
  path: '/v1/swaps',
  scope: 'devices:read',
  answer: swapGuesses,
  query: z.object({ user_id: idField.optional() }),
  async handle({ context: { db }, caller, query: { user_id } }) {
    const userId = await reachUserId(db, caller, user_id);
    return (await listSuspectedMeterSwaps(db, reachOf(caller), userId)).map(({ at, ...one }) => ({
      ...one,
      at: at.toISOString(),
    }));
  },
});

export const answerSwap = defineOperation({
  summary: 'Says whether the meter of a register was replaced at a time; if not, its readings are excluded by an edit.',
  method: 'POST',
  path: '/v1/devices/{device_id}/swaps',
  status: 200,
  audit: { action: 'device.edited', target: 'device_id' },
  scope: 'devices:write',
  answer: shapes.message,
  params: z.object({ device_id: idField }),
  body: z.strictObject({
    at: shapes.instantShape,
    native_name: z.string().max(200),
    is_replaced: z.boolean(),
    reason: z.string().min(1).max(500),
  }),
  async handle({ context, caller, params, body: { at, native_name: nativeName, is_replaced: isReplaced, reason } }) {
    const answer = { at: new Date(at), nativeName, isReplaced, reason };
    const editing = editingBy(context, caller);
    const isAsked = await answerSuspectedMeterSwap(
      context.db,
      reachOf(caller),
      toIdOrNotFound(params.device_id),
      answer,
      editing,
    );
    if (!isAsked) throw new AppError('notFound');
    return { message: isReplaced ? 'The swap is confirmed' : 'The readings are excluded' };
  },
});
