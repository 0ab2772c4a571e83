import type { FastifyInstance } from 'fastify';
import { wantsHtml } from '#src/api/plain-page.ts';

/** Adds `GET /`, which redirects browsers to the dashboard. It has nothing for programs. */
export function addRootRedirect(app: FastifyInstance): void {
  app.get('/', (request, reply) => {
    reply.header('Vary', 'Accept');
    if (!wantsHtml(request.headers)) return reply.callNotFound();
    return reply.redirect('/dashboard', 302);
  });
}
