import type { FastifyInstance } from 'fastify';
import { PLAIN_PAGE_POLICY, plainPage, wantsPage } from '#src/api/plain-page.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { errorBody } from './errors.ts';

/** Below these a slash at the end is of no account. Nowhere else: `//example.com/` without it would lead to another site. */
const PAGES = /^\/(docs|dashboard)\//;
const LINKS = '<p><a href="/dashboard">Dashboard</a> · <a href="/docs">Documentation</a></p>\n';

/**
 * Answers paths that do not exist: to a browser with a page, and without the slash at the end where that exists; to a program with JSON, and
 * with the methods that the path takes (RFC 9110, 10.2.1).
 */
export function addNotFound(app: FastifyInstance, publicUrl: () => string): void {
  app.setNotFoundHandler((request, reply) => {
    const [path = '', ...query] = request.url.split('?');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    reply.header('Vary', 'Accept');
    if (isRead && wantsPage(request.headers)) {
      if (PAGES.test(path) && path.endsWith('/'))
        return reply.redirect([withoutSlashes(path), ...query].join('?'), 302);
      reply.status(404).header('Content-Security-Policy', PLAIN_PAGE_POLICY).type('text/html; charset=utf-8');
      return reply.send(plainPage('Not found', 'There is no such page.', LINKS));
    }
    const allowed = methodsOf(path);
    if (allowed.length > 0) reply.header('Allow', allowed.join(', '));
    return reply.status(404).send(errorBody('notFound', publicUrl()));
  });
}

/** Not by a regular expression: of many slashes it would take quadratic time. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Methods that a path knows. */
function methodsOf(path: string): string[] {
  const matches = OPERATIONS.filter((operation) => {
    const pattern = operation.path.replaceAll(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^${pattern}$`).test(path);
  });
  return [...new Set(matches.map((operation) => operation.method))];
}
