import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { AppError } from '#src/core/errors.ts';

/** Most bytes of a request's head: Node's own limit over HTTP/1.1. */
export const MAX_HEAD_BYTES = 16_384;

/** Options of a server that leaves to `addProtocol` what Node would answer with an empty body. */
export const LENIENT = { requireHostHeader: false } as const;

/** Answers what is wrong with a request as HTTP in the same words as every other mistake (RFC 9112, 3.2; RFC 9110, 10.1.1). */
export function addProtocol(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw, headers }) => {
    const { host, ':authority': authority } = headers as Record<string, string | undefined>;
    if (raw.httpVersion === '1.1' && host === undefined) throw wrong('Host', 'is required');
    // Over HTTP/2 one of them is there (nghttp2), and of two names one is a lie (RFC 9113, 8.3.1).
    if (host !== undefined && authority !== undefined && host.toLowerCase() !== authority.toLowerCase())
      throw wrong('Host', 'must be the :authority');
    // Node holds a connection of HTTP/2 to this once the client has acknowledged it.
    if (raw.httpVersionMajor === 2 && raw.rawHeaders.reduce((sum, { length }) => sum + length, 0) > MAX_HEAD_BYTES)
      throw new AppError('badRequest');
    const { expect } = headers;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw wrong('Expect', 'must be 100-continue');
  });
  // What fastify says of a connection after a broken body means nothing to HTTP/2 (RFC 9113, 8.2.2).
  app.addHook('onSend', async ({ raw }, reply) => {
    if (raw.httpVersionMajor === 2) reply.removeHeader('Connection');
  });
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    // Its body may never come.
    response.setHeader('Connection', 'close');
    app.routing(request, response);
  });
}

const wrong = (field: string, message: string) => new AppError('badRequest', { details: [{ field, message }] });

/** The path and query of a request target; of one in absolute form (RFC 9112, 3.2.2) what follows the host. */
export function originForm(target: string): string {
  const [origin] = /^https?:\/\/[^/?#]*/i.exec(target) ?? [];
  if (origin === undefined) return target;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
