import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '#src/auth/authenticate.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';
import { countFailure, countRequest, refuseSuspended } from './rate-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller whose key the request carries. Null below paths that need no key. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Number of requests that a request of this route counts as; default 1. */
    countsAs?: number;
  }
}

/** Duration of a slow body. The caller may have changed while such a body was being received. */
const SLOW_BODY_MS = 100;

const OPEN = new Set(['/v1/openapi.json']);
/** Whether a request is for the tools of assistants (src/api/mcp). */
export const isForTools = ({ url }: FastifyRequest) => /^\/mcp(\/|\?|$)/.test(url);
/** Whether a path needs a key. */
export const needsKey = (request: FastifyRequest) =>
  isForTools(request) || (/^\/v1(\/|\?|$)/.test(request.url) && !OPEN.has(request.url.split('?', 1)[0] ?? ''));

/**
 * Adds authentication. Every path under /v1 and /mcp, known or not, needs a valid key before any other check, and counts against the
 * account's limits. A wrong key counts against its address; a missing one does not.
 */
export function addAuthentication(app: FastifyInstance, authenticate: Authenticate, counter: RequestCounter): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request, reply) => {
    if (!needsKey(request)) return;
    const [, presented] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const found = presented === undefined ? 'unauthorized' : await authenticate(presented, request.ip);
    // The tools of assistants take keys alone.
    const caller = typeof found !== 'string' && found.by === 'app' && isForTools(request) ? 'unauthorized' : found;
    // Counted as a failure of the address, not as a request of the account, so that a thief of a key cannot use up its owner's limits.
    if (typeof caller === 'string') {
      if (request.headers.authorization !== undefined && caller !== 'unavailable')
        await countFailure(counter, request.ip);
      throw new AppError(caller);
    }
    request.caller = caller;
    await countRequest(counter, reply, caller, request.routeOptions.config?.countsAs ?? 1);
  });
  app.addHook('preHandler', async (request, reply) => {
    if (!request.caller || !needsKey(request) || reply.elapsedTime < SLOW_BODY_MS) return;
    await refuseSuspended(counter, request.caller);
  });
}
