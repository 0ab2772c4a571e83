import type { FastifyInstance } from 'fastify';
import { wantsPage } from '#src/api/plain-page.ts';

/** `GET /`: leads a person to the dashboard. For a program there is nothing here. */
export function addEntrance(app: FastifyInstance): void {
  app.get('/', (request, reply) => {
    reply.header('Vary', 'Accept');
    if (!wantsPage(request.headers)) return reply.callNotFound();
    return reply.redirect('/dashboard', 302);
  });
}
