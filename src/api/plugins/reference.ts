import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openApiDocument } from '#src/api/openapi.ts';

/** Content security policy: everything from this origin, nothing inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const brotli = promisify(brotliCompress);

interface Kept {
  type: string;
  plain: Buffer;
  brotli: Buffer;
  etag: string;
}

/**
 * Adds `/v1/openapi.json`, and the documentation at `/docs`; neither needs a key. `publicUrl` is where clients reach the API. The libraries
 * of the documentation are imported with its first request; an API without readers does not need them.
 */
export function addReference(app: FastifyInstance, publicUrl: () => string): void {
  // Stored as bytes, because each response would copy a string.
  let document: Buffer | undefined;
  const openApi = () => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(publicUrl())));
    return document;
  };
  app.get('/v1/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(openApi()));

  let made: ReturnType<typeof make> | undefined;
  const make = async () => {
    const { buildDocsFiles: docsFiles } = await import('#src/api/docs/pages.ts');
    return docsFiles(JSON.parse(String(openApi())) as Record<string, unknown>);
  };
  const kept = new Map<string, Promise<Kept>>();
  async function show(request: FastifyRequest, reply: FastifyReply) {
    made ??= make();
    // If rendering fails, the next request tries again.
    made.catch(() => {
      made = undefined;
    });
    // The router ends a path at these characters.
    const [path = ''] = request.url.split(/[?#]/, 1);
    const file = (await made).get(path);
    if (!file) return reply.callNotFound();
    const ready = kept.get(path) ?? keep(file);
    kept.set(path, ready);
    const { type, plain, brotli, etag } = await ready;
    reply.headers({ 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding', 'Content-Type': type });
    reply.header('Content-Security-Policy', POLICY);
    if (request.headers['if-none-match'] === etag) return reply.status(304).send();
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain);
    return reply.header('Content-Encoding', 'br').send(brotli);
  }
  app.get('/docs', show);
  app.get('/docs/*', show);
}

/** Compresses a file once, for both forms in which it is sent. */
async function keep({ type, content }: { type: string; content: string }): Promise<Kept> {
  const plain = Buffer.from(content);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, plain, brotli: await brotli(plain, BROTLI), etag };
}

/**
 * Adds `sendFile` to replies, which sends `x.br` or `x.gz` instead of `x` if it exists and the client accepts it. Serves no path itself.
 */
export function addStaticFiles(app: FastifyInstance): void {
  const root = fileURLToPath(new URL('../docs/', import.meta.url));
  void app.register(fastifyStatic, { root, serve: false, preCompressed: true });
}
