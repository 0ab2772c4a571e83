import type { FastifyInstance } from 'fastify';
import { AppError } from '#src/core/errors.ts';
import { isApiKeyRequired, isMcpRequest } from './authentication.ts';

/** Response headers that pages of the configured origins may read. */
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

/** Request headers that pages of the configured origins may send. The last headers are only for `/mcp`. */
const ACCEPTED = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID'],
  ...['Energy-Allow-Write', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
];

/**
 * Lets pages of the configured origins call `/v1` and `/mcp` with a key (CORS). Without configured origins, no page may call
 * them. Cookies are not allowed. This hook must be added first, so that pages can also read refusals.
 */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  const allowed = new Set(origins);
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers;
    if (origin !== undefined && !allowed.has(origin) && isMcpRequest(request)) throw new AppError('originNotAllowed');
    done();
  });
  if (origins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    if (!isApiKeyRequired(request)) return;
    reply.header('Vary', 'Origin');
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return;
    reply.header('Access-Control-Allow-Origin', origin);
    reply.header('Access-Control-Expose-Headers', EXPOSED.join(', '));
    if (request.method !== 'OPTIONS' || wanted === undefined) return;
    reply.header('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
    reply.header('Access-Control-Allow-Headers', ACCEPTED.join(', '));
    reply.header('Access-Control-Max-Age', String(MAX_AGE_SECONDS));
    return reply.status(204).send();
  });
}
