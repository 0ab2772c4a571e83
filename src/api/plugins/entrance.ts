import type { FastifyInstance } from 'fastify';

/** `GET /`: leads a person to the dashboard. For a program there is nothing here. */
export function addEntrance(app: FastifyInstance): void {
  app.get('/', (request, reply) => {
    reply.header('Vary', 'Accept');
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return reply.callNotFound();
    return reply.redirect('/dashboard', 302);
  });
}
