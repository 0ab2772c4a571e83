import type { FastifyInstance, FastifyReply } from 'fastify';
import { wantsPage } from '#src/api/plain-page.ts';
import { assetFiles } from './asset-files.ts';

/** Addresses of pages: each of them is the same document, which shows the page that its address names. */
const VIEWS = [
  ...[
    '',
    '/',
    '/sign-in',
    '/email',
    '/keys',
    '/devices',
    '/tariffs',
    '/alerts',
    '/webhooks',
    '/bills',
    '/groups',
    '/fleet',
  ],
  ...['/sessions', '/operator'],
  // A period of the home, or of a device; without it, the one of today.
  ...['/home', '/home/:unit', '/home/:unit/:period'],
  ...['/devices/:device', '/devices/:device/:unit', '/devices/:device/:unit/:period'],
];
/** Everything from here, nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the pages of `src/dashboard` at `/dashboard`. What they are made of is looked at each time, and sent only where it is another:
 * who updates the service gets the pages that belong to it.
 */
export function addAssets(app: FastifyInstance): void {
  const files = assetFiles();
  app.addHook('onClose', () => files.remove());
  const send = async (reply: FastifyReply, path: string, { isKept = true } = {}) => {
    const folder = await files.folderOf(path);
    if (folder === null) return reply.callNotFound();
    reply.header('Cache-Control', isKept ? 'no-cache' : 'no-store');
    return reply.sendFile(path, folder, {
      etag: isKept,
      lastModified: false,
      cacheControl: false,
      acceptRanges: false,
    });
  };
  for (const view of VIEWS) {
    app.get(`/dashboard${view}`, (_request, reply) =>
      send(reply.header('Content-Security-Policy', POLICY), 'index.html'),
    );
  }
  // Any other is the same document, too, for a browser: it says that there is no such page, and which there are.
  app.get('/dashboard/*', (request, reply) => {
    if (!wantsPage(request.headers) || request.url.split('?', 1)[0]?.endsWith('/')) return reply.callNotFound();
    return send(reply.status(404).header('Content-Security-Policy', POLICY), 'index.html', { isKept: false });
  });
  // It looks after all pages, and fetches from here alone.
  app.get('/dashboard/app/service-worker.js', (_request, reply) => {
    reply.header('Service-Worker-Allowed', '/dashboard');
    reply.header('Content-Security-Policy', "default-src 'none'; connect-src 'self'");
    return send(reply, 'service-worker.js');
  });
  app.get('/dashboard/app/*', (request, reply) => send(reply, (request.params as { '*': string })['*']));
}
