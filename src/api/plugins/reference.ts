import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compressFile, createFileCache, sendFile } from '#src/api/compressed-files.ts';
import { buildOpenApiDocument } from '#src/api/openapi.ts';

/** Content security policy of the documentation: everything comes from this origin, and nothing inline is executed. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Adds `/v1/openapi.json`, and the documentation at `/docs`, neither of which needs a key. `publicUrl`: returns the URL at which
 * clients reach the API. The libraries are imported at the first request.
 */
export function addReferencePages(app: FastifyInstance, publicUrl: () => string): void {
  // The OpenAPI document in a buffer, because a string would be copied for each response.
  let document: Buffer | undefined;
  const openApi = () => {
    document ??= Buffer.from(JSON.stringify(buildOpenApiDocument(publicUrl())));
    return document;
  };
  app.get('/v1/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(openApi()));

  let made: ReturnType<typeof make> | undefined;
  const make = async () => {
    const { buildDocsFiles } = await import('#src/api/docs/pages.ts');
    const files = await buildDocsFiles(JSON.parse(String(openApi())) as Record<string, unknown>);
    return createFileCache((path) => {
      const file = files.get(path);
      return file && compressFile(file.type, file.content);
    });
  };
  async function show(request: FastifyRequest, reply: FastifyReply) {
    made ??= make();
    // If rendering the documentation fails, the next request tries again.
    made.catch(() => {
      made = undefined;
    });
    // For the router, the path ends at the first `?` or `#`.
    const [path = ''] = request.url.split(/[?#]/, 1);
    const file = await (await made)(path);
    if (!file) return reply.callNotFound();
    return sendFile(request, reply.header('Content-Security-Policy', POLICY), file);
  }
  app.get('/docs', show);
  app.get('/docs/*', show);
}
