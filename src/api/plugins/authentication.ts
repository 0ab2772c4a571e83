import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '#src/auth/authenticate.ts';
import { ESPI_RESOURCE_PATH } from '#src/auth/green-button.ts';
import type { RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';
import { countFailedAuthentication, countRequest, refuseSuspendedCaller } from './rate-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller that the request's key identifies. Null on paths that need no key. */
    caller: Caller | null;
    /** Time (performance.now()) at which the request was counted. Null for a request that needs no key. */
    countedAtMs: number | null;
  }
  interface FastifyContextConfig {
    /** Number of requests that one request of this route counts as (default 1). */
    countsAs?: number;
  }
}

/** If the body takes longer than this time (ms) to arrive, the service checks again whether the caller is suspended. */
const SLOW_BODY_MS = 100;

/** Whether a request is for the tools of AI assistants (src/api/mcp). */
export const isMcpRequest = ({ url }: FastifyRequest) => /^\/mcp(\/|\?|$)/.test(url);
/** Whether a request is for Green Button resources, which accept only tokens of apps. */
const isForGreenButton = ({ url }: FastifyRequest) => url.startsWith(`${ESPI_RESOURCE_PATH}/`);
export const isApiKeyRequired = (request: FastifyRequest) =>
  /^\/(?:v1(?!\/openapi\.json(?:\?|$))|mcp)(?:\/|\?|$)/.test(request.url) || isForGreenButton(request);

/** Whether the path of a request accepts this kind of key or token. */
function isTaken({ by }: Caller, request: FastifyRequest): boolean {
  if (isForGreenButton(request)) return by === 'app' || by === 'client';
  return by !== 'client' && !(by === 'app' && isMcpRequest(request));
}

/**
 * Adds authentication. Every path under /v1, /mcp and /espi/1_1/resource needs a valid key before any other check, and counts
 * against the account's limits. A wrong key counts as a failed authentication from the client's address; a missing key does not.
 */
export function addAuthentication(app: FastifyInstance, authenticate: Authenticate, counter: RequestCounter): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('countedAtMs', null);
  app.addHook('onRequest', async (request, reply) => {
    if (!isApiKeyRequired(request)) return;
    const [, presented] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const found = presented === undefined ? 'unauthorized' : await authenticate(presented, request.ip);
    const caller = typeof found === 'string' || isTaken(found, request) ? found : 'unauthorized';
    // A refused key counts against the client's address, not against the account. Otherwise a thief of a revoked key could use up
    // the owner's limits.
    if (typeof caller === 'string') {
      if (request.headers.authorization !== undefined && caller !== 'unavailable')
        await countFailedAuthentication(counter, request.ip);
      throw new AppError(caller);
    }
    request.caller = caller;
    await countRequest(counter, reply, caller, request.routeOptions.config?.countsAs ?? 1);
    request.countedAtMs = performance.now();
  });
  app.addHook('preHandler', (request, _reply, done) => {
    const { caller, countedAtMs } = request;
    if (!caller || countedAtMs === null || performance.now() - countedAtMs < SLOW_BODY_MS) return done();
    refuseSuspendedCaller(counter, caller).then(() => done(), done);
  });
}
