import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '#src/auth/authenticate.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';
import { countFailure, countRequest, refuseSuspended } from './rate-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key came with the request; null below paths that need none. */
    caller: Caller | null;
  }
}

/** A body that takes longer to come is one that much may have happened before. */
const SLOW_BODY_MS = 100;

const OPEN = new Set(['/v1/openapi.json']);
/** Whether a path needs a key. */
export const isBelowV1 = ({ url }: FastifyRequest) =>
  /^\/v1(\/|\?|$)/.test(url) && !OPEN.has(url.split('?', 1)[0] ?? '');

/**
 * Every path under /v1, known or not, needs a valid key, before anything else is looked at, and counts against the
 * account's limits. A wrong key counts against its address; a missing one does not.
 */
export function addAuthentication(app: FastifyInstance, authenticate: Authenticate, counter: RequestCounter): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request, reply) => {
    if (!isBelowV1(request)) return;
    const [, presented] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const caller = presented === undefined ? 'unauthorized' : await authenticate(presented, request.ip);
    // Counted as a failure of the address, not as a request of the account: who stole a key uses up nothing of its owner's.
    if (typeof caller === 'string') {
      if (request.headers.authorization !== undefined) await countFailure(counter, request.ip);
      throw new AppError(caller);
    }
    request.caller = caller;
    await countRequest(counter, reply, caller.userId);
  });
  app.addHook('preHandler', async (request, reply) => {
    if (!request.caller || !isBelowV1(request) || reply.elapsedTime < SLOW_BODY_MS) return;
    await refuseSuspended(counter, request.caller.userId);
  });
}
