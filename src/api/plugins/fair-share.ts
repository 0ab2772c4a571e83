import type { FastifyInstance } from 'fastify';
import { noteAnswers, share, takePart } from '#src/api/share.ts';
import type { Clock } from '#src/core/clock.ts';
import { AppError } from '#src/core/errors.ts';
import { isBelowV1 } from './authentication.ts';

/**
 * Of one account's keys, in this process: fewer at once than there are connections to the database, so that a hundred questions of one
 * account leave some for the others. What waits for longer than for a connection is told to come again (503).
 */
const SHARE = { perMinute: Number.POSITIVE_INFINITY, atOnce: 6, mayWait: 1_000, waitMs: 5_000 };

/** Lets each account below /v1 have its share of the process and no more; once a request's body is there. */
export function addFairShare(app: FastifyInstance, clock: Clock): void {
  const shares = share(SHARE, clock);
  noteAnswers(app);
  app.addHook('preHandler', async (request, reply) => {
    if (!request.caller || !isBelowV1(request)) return;
    if (!(await takePart(shares, request.caller.userId, reply))) throw new AppError('unavailable');
  });
}
