import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '#src/api/openapi.ts';

const PAGE = fileURLToPath(new URL('../docs/', import.meta.url));
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const FROM_SWAGGER_UI = ['swagger-ui.css', 'swagger-ui-bundle.js'];
/** Everything from here; styles in attributes are the page's way to lay itself out, and its icons are data. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `/v1/openapi.json`, and `/docs`, a page that shows it; neither needs a key. `publicUrl`: where clients reach the API. */
export function addReference(app: FastifyInstance, publicUrl: () => string): void {
  let document: string | undefined;
  app.get('/v1/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(publicUrl()));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  app.get('/docs', async (_request, reply) =>
    reply.header('Content-Security-Policy', POLICY).sendFile('index.html', PAGE),
  );
  app.get('/docs/init.js', async (_request, reply) => reply.sendFile('init.js', PAGE));
  for (const name of FROM_SWAGGER_UI) {
    app.get(`/docs/${name}`, async (_request, reply) => reply.sendFile(name, join(SWAGGER_UI, '/')));
  }
}
