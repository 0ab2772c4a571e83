import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const PAGES = fileURLToPath(new URL('../../dashboard/', import.meta.url));
/** Libraries that the browser gets as they are shipped, by the name that they are imported by. */
const LIBRARIES: Record<string, string> = {
  preact: 'preact/dist/preact.mjs',
  'preact/hooks': 'preact/hooks/dist/hooks.mjs',
  htm: 'htm/dist/htm.module.js',
  uplot: 'uplot/dist/uPlot.esm.js',
};
const STYLES: Record<string, string> = { 'uplot.css': 'uplot/dist/uPlot.min.css' };
/** Addresses of pages: each of them is the same document, which shows the page that its address names. */
const VIEWS = ['', '/', '/sign-in', '/keys', '/devices', '/alerts', '/webhooks', '/sessions', '/operator'];
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Everything from here, nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Asset {
  type: string;
  etag: string;
  encoded: Record<'br' | 'gzip' | 'identity', Buffer>;
}

/**
 * Serves the pages of `src/dashboard` at `/dashboard`, as they were when the process started: they belong to its operations.
 * There is no build step: types are stripped from a module when it is first asked for, as Node does with the service's own.
 */
export function addAssets(app: FastifyInstance): void {
  const assets = new Map<string, Asset>();
  const known = sources();
  const send = async (path: string, request: FastifyRequest, reply: FastifyReply) => {
    const read = known.get(path);
    if (!read) return reply.callNotFound();
    const asset = assets.get(path) ?? assetOf(path, await read());
    assets.set(path, asset);
    // Looked at each time, and sent only where it is another: who updates the service gets the pages that belong to it.
    reply.header('Cache-Control', 'no-cache').header('ETag', asset.etag).header('Vary', 'Accept-Encoding');
    if (isKnownAs(asset.etag, request.headers['if-none-match'])) return reply.status(304).send();
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    return reply.type(asset.type).send(asset.encoded[encoding]);
  };
  for (const view of VIEWS) {
    app.get(`/dashboard${view}`, (request, reply) =>
      send('index.html', request, reply.header('Content-Security-Policy', POLICY)),
    );
  }
  // Any other is the same document, too, for a browser: it says that there is no such page, and which there are.
  app.get('/dashboard/:page', (request, reply) => {
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.callNotFound();
    return send('index.html', request, reply.status(404).header('Content-Security-Policy', POLICY));
  });
  app.get('/dashboard/app/*', (request, reply) => send((request.params as { '*': string })['*'], request, reply));
}

/** What there is to serve, by its path below `app/`: read now, made when it is asked for. */
function sources(): Map<string, () => Buffer | Promise<Buffer>> {
  const found = new Map<string, () => Buffer | Promise<Buffer>>();
  const { resolve } = createRequire(import.meta.url);
  for (const entry of readdirSync(PAGES, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(PAGES, file).replaceAll('\\', '/');
    if (!entry.isFile() || !/\.(ts|css|html|svg)$/.test(path)) continue;
    const content = readFileSync(file);
    if (path.endsWith('.ts')) found.set(path.replace(/ts$/, 'js'), () => moduleOf(content.toString()));
    else if (path === 'index.html') found.set(path, () => documentOf(content.toString(), [...found.keys()]));
    else found.set(path, () => content);
  }
  for (const [name, file] of Object.entries(LIBRARIES)) {
    const code = readFileSync(packaged(resolve, file), 'utf8');
    found.set(`lib/${name}.js`, () => Buffer.from(browsable(code)));
  }
  for (const [name, file] of Object.entries(STYLES)) {
    const content = readFileSync(packaged(resolve, file));
    found.set(`lib/${name}`, () => content);
  }
  return found;
}

/** A file of a package, whatever the package's exports say of it. */
function packaged(resolve: NodeJS.RequireResolve, file: string): string {
  const [name = '', ...rest] = file.split('/');
  const places = (resolve.paths(name) ?? []).map((folder) => join(folder, name, ...rest));
  const found = places.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(`${file} is not installed; run npm ci`);
}

/** Fetched when the first module is asked for: it takes 17 MB that an API without a dashboard's visitor can do without. */
async function moduleOf(source: string): Promise<Buffer> {
  const { transformSync } = await import('amaro');
  return Buffer.from(browsable(transformSync(source, { mode: 'strip-only' }).code));
}

/** Imports as a browser resolves them: libraries by their address here, modules of ours as .js. */
function browsable(code: string): string {
  return code.replaceAll(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\2/g, (whole, before, quote, name: string) => {
    if (name in LIBRARIES) return `${before}${quote}/dashboard/app/lib/${name}.js${quote}`;
    return name.startsWith('.') ? `${before}${quote}${name.replace(/\.ts$/, '.js')}${quote}` : whole;
  });
}

/** The document, with what the first page needs named in its head: fetched at once instead of import by import. */
function documentOf(source: string, paths: string[]): Buffer {
  const early = [...paths, ...Object.keys(LIBRARIES).map((name) => `lib/${name}.js`)]
    .filter((path) => path.endsWith('.js') && !path.startsWith('pages/'))
    .map((path) => `<link rel="modulepreload" href="/dashboard/app/${path}">`);
  return Buffer.from(source.replace('<!-- modulepreload -->', early.join('')));
}

function assetOf(path: string, identity: Buffer): Asset {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    // Weak: one for all encodings of it (RFC 9110, 8.8.1).
    etag: `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    encoded: { identity, gzip: gzipSync(identity), br: brotliCompressSync(identity, quality) },
  };
}

/** The best encoding that is accepted (RFC 9110, 12.5.3); `q=0` means not at all. */
function encodingFor(accepted: string | undefined): 'br' | 'gzip' | 'identity' {
  const names = (accepted ?? '')
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? ''))
    .map(([name]) => name);
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : 'identity';
}

/** Whether a browser that knows these has this one (RFC 9110, 13.1.2: compared weakly). */
const isKnownAs = (etag: string, known: string | undefined): boolean =>
  known === '*' || (known ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag.slice(2));
