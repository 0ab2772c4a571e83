import type { FastifyInstance } from 'fastify';
import { createRequestShare, takeRequestShare, trackAnswers } from '#src/api/share.ts';
import { counterNameOf } from '#src/auth/authenticate.ts';
import type { Clock } from '#src/core/clock.ts';
import { AppError } from '#src/core/errors.ts';
import { requiresApiKey } from './authentication.ts';

/**
 * Limits for the keys of one account in this process. Fewer concurrent requests than there are connections to the database, so that a
 * hundred queries of one account leave some connections for others. A request that waits longer than for a connection gets 503.
 */
const SHARE = { perMinute: Number.POSITIVE_INFINITY, atOnce: 6, mayWait: 1_000, waitMs: 5_000 };

/**
 * Limits each account, the keys of each device, and each app in a home, to a share of the process, on every path that needs a key. A request counts
 * once its body has arrived.
 */
export function addFairShare(app: FastifyInstance, clock: Clock): void {
  const shares = createRequestShare(SHARE, clock);
  trackAnswers(app);
  app.addHook('preHandler', async (request, reply) => {
    if (!request.caller || !requiresApiKey(request)) return;
    const { device } = request.caller;
    if (!(await takeRequestShare(shares, device?.id ?? counterNameOf(request.caller), reply)))
      throw new AppError('unavailable');
  });
}
