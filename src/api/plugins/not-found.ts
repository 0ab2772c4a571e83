import type { FastifyInstance } from 'fastify';
import { isHtmlRequested, sendPlainPage } from '#src/api/plain-page.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import { loadWords } from '#src/delivery/words/words.ts';
import { createErrorBody } from './errors.ts';

/**
 * Matches the paths below which a redirect removes a trailing slash. Elsewhere, the redirect could lead to another site, for
 * example from `//example.com/`.
 */
const PAGES = /^\/(docs|dashboard)\//;

/**
 * Responds to requests for paths that do not exist. A browser gets a page; a program gets JSON, with the methods that the path
 * accepts (RFC 9110, 10.2.1). Must be added before the routes.
 */
export function addNotFoundHandler(app: FastifyInstance, publicUrl: () => string): void {
  const methodsOf = collectMethods(app);
  app.setNotFoundHandler(async (request, reply) => {
    const [path = '', ...query] = request.url.split('?');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    reply.header('Vary', 'Accept, Accept-Language');
    if (isRead && isHtmlRequested(request.headers)) {
      if (PAGES.test(path) && path.endsWith('/'))
        return reply.redirect([withoutSlashes(path), ...query].join('?'), 302);
      const language = negotiateLanguage(request.headers['accept-language'] ?? '') ?? 'en';
      const { title, text, dashboard, docs } = (await loadWords(language)).pages.notFound;
      const more = `<p><a href="/dashboard">${dashboard}</a> · <a href="/docs">${docs}</a></p>\n`;
      return sendPlainPage(reply, 404, title, text, { more, language });
    }
    const allowed = methodsOf(path);
    if (allowed.length > 0) reply.header('Allow', allowed.join(', '));
    return reply.status(404).send(createErrorBody('notFound', publicUrl()));
  });
}

/** Removes trailing slashes. A regular expression would take quadratic time. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/**
 * Returns a function that returns the methods that a path accepts. HEAD is omitted, because every path with GET accepts it. Paths
 * with a wildcard are omitted.
 */
function collectMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const methods = [method].flat().filter((one) => one !== 'HEAD');
    if (!url.includes('*')) routes.push({ pattern: patternOf(url), methods });
  });
  return (path) => [...new Set(routes.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])))];
}

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.+()[\]]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`);

/** Adds `GET /`, which redirects browsers to the dashboard. Programs get 404. */
export function addRootRedirect(app: FastifyInstance): void {
  app.get('/', (request, reply) => {
    reply.header('Vary', 'Accept');
    if (!isHtmlRequested(request.headers)) return reply.callNotFound();
    return reply.redirect('/dashboard', 302);
  });
}
