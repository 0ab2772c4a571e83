import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type CompressedFile, sendFile } from '#src/api/compressed-files.ts';
import { isHtmlRequested } from '#src/api/plain-page.ts';
import { createAssetLoader } from './asset-files.ts';

/** Paths of the dashboard's pages. They all return the same HTML document, whose script shows the page. */
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
    '/apps',
    '/bills',
    '/groups',
    '/fleet',
  ],
  ...['/account', '/sessions', '/operator'],
  // The last segment of the path is a period of the home or of a device. Default: today.
  ...['/home', '/home/:unit', '/home/:unit/:period'],
  ...['/devices/:device', '/devices/:device/:unit', '/devices/:device/:unit/:period'],
];
/** Content security policy: everything comes from this origin, and nothing inline is executed. */
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

/** Serves the pages of `src/dashboard` at `/dashboard`. Browsers check before each use whether a file has changed. */
export function addDashboardAssets(app: FastifyInstance): void {
  const fileOf = createAssetLoader();
  const send = async (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const file = await fileOf(path);
    return file ? sendFile(request, reply, file) : reply.callNotFound();
  };
  for (const view of VIEWS) {
    app.get(`/dashboard${view}`, (request, reply) =>
      send(request, reply.header('Content-Security-Policy', POLICY), 'index.html'),
    );
  }
  // Every other path below /dashboard also returns the HTML document. Its script shows that the page does not exist.
  app.get('/dashboard/*', async (request, reply) => {
    if (!isHtmlRequested(request.headers) || request.url.split('?', 1)[0]?.endsWith('/')) return reply.callNotFound();
    const { type, plain } = (await fileOf('index.html')) as CompressedFile;
    return reply.status(404).header('Content-Security-Policy', POLICY).type(type).send(plain);
  });
  // With these headers, the service worker controls all pages of the dashboard, and may fetch from this origin only.
  app.get('/dashboard/app/service-worker.js', (request, reply) => {
    reply.header('Service-Worker-Allowed', '/dashboard');
    reply.header('Content-Security-Policy', "default-src 'none'; connect-src 'self'");
    return send(request, reply, 'service-worker.js');
  });
  app.get('/dashboard/app/*', (request, reply) => send(request, reply, (request.params as { '*': string })['*']));
}
