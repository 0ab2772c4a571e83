import type { FastifyInstance } from 'fastify';
import { isBelowV1 } from './authentication.ts';

/** Headers of a response that pages of other origins may read. */
const EXPOSED = [
  'Age',
  'Content-Disposition',
  'Energy-Service-Version',
  'Idempotent-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Request-Id',
  'Retry-After',
];
const MAX_AGE_SECONDS = 7_200;

/**
 * Lets pages of the configured origins call `/v1` with a key (Fetch standard, CORS). Without configured origins, no page may. Cookies are
 * not allowed, and authenticate nothing below /v1. Added first, because a page must be able to read refusals, and a preflight has no key.
 */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  app.addHook('onRequest', async (request, reply) => {
    if (!isBelowV1(request)) return;
    reply.header('Vary', 'Origin');
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return;
    reply.header('Access-Control-Allow-Origin', origin);
    reply.header('Access-Control-Expose-Headers', EXPOSED.join(', '));
    if (request.method !== 'OPTIONS' || wanted === undefined) return;
    reply.header('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
    reply.header('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID');
    reply.header('Access-Control-Max-Age', String(MAX_AGE_SECONDS));
    return reply.status(204).send();
  });
}
