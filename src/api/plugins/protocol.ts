import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { AppError } from '#src/core/errors.ts';

/** Options of a server that leaves to `addProtocol` what Node would answer with an empty body. */
export const LENIENT = { requireHostHeader: false } as const;

/** Answers what is wrong with a request as HTTP in the same words as every other mistake (RFC 9112, 3.2; RFC 9110, 10.1.1). */
export function addProtocol(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw, headers }) => {
    if (raw.httpVersion === '1.1' && headers.host === undefined) throw wrong('Host', 'is required');
    const { expect } = headers;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw wrong('Expect', 'must be 100-continue');
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
