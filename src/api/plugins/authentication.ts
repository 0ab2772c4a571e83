import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '#src/auth/authenticate.ts';
import { unauthorized } from '#src/core/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key came with the request; null below paths that need none. */
    caller: Caller | null;
  }
}

const isBelowV1 = (request: FastifyRequest) => /^\/v1(\/|\?|$)/.test(request.url);

/** Every path under /v1, known or not, needs a valid key, before anything else is looked at. */
export function addAuthentication(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    if (!isBelowV1(request)) return;
    const [, presented] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const caller = presented === undefined ? null : await authenticate(presented);
    if (!caller) throw unauthorized();
    request.caller = caller;
  });
}
