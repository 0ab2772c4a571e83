import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '#src/auth/authenticate.ts';
import { ESPI_RESOURCE_PATH } from '#src/auth/green-button.ts';
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
export const isToolRequest = ({ url }: FastifyRequest) => /^\/mcp(\/|\?|$)/.test(url);
/** Whether a request is for resources of Green Button (src/api/green-button), which take tokens of apps alone. */
const isForGreenButton = ({ url }: FastifyRequest) => url.startsWith(`${ESPI_RESOURCE_PATH}/`);
/** Whether a path needs a key. */
export const requiresApiKey = (request: FastifyRequest) =>
  isToolRequest(request) ||
  isForGreenButton(request) ||
  (/^\/v1(\/|\?|$)/.test(request.url) && !OPEN.has(request.url.split('?', 1)[0] ?? ''));

/**
 * Whether a path accepts this kind of key or token: tools for assistants accept only keys, and an app itself reads only its own resources.
 */
function isTaken({ by }: Caller, request: FastifyRequest): boolean {
  if (isForGreenButton(request)) return by === 'app' || by === 'client';
  return by !== 'client' && !(by === 'app' && isToolRequest(request));
}

/**
 * Adds authentication. Every path under /v1, /mcp and /espi/1_1/resource, known or not, needs a valid key before any other check, and counts against the
 * account's limits. A wrong key counts against its address; a missing one does not.
 */
export function addAuthentication(app: FastifyInstance, authenticate: Authenticate, counter: RequestCounter): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request, reply) => {
    if (!requiresApiKey(request)) return;
    const [, presented] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const found = presented === undefined ? 'unauthorized' : await authenticate(presented, request.ip);
    const caller = typeof found === 'string' || isTaken(found, request) ? found : 'unauthorized';
    // Counted as a failure of the address, not as a request of the account, so that somebody with a stolen key cannot use up its owner's
    // limits.
    if (typeof caller === 'string') {
      if (request.headers.authorization !== undefined && caller !== 'unavailable')
        await countFailure(counter, request.ip);
      throw new AppError(caller);
    }
    request.caller = caller;
    await countRequest(counter, reply, caller, request.routeOptions.config?.countsAs ?? 1);
  });
  app.addHook('preHandler', (request, reply, done) => {
    if (!request.caller || !requiresApiKey(request) || reply.elapsedTime < SLOW_BODY_MS) return done();
    refuseSuspended(counter, request.caller).then(() => done(), done);
  });
}
