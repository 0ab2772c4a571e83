import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire, getCompileCacheDir } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CompressedFile, compressBrotli, compressFile, createFileCache } from '#src/api/compressed-files.ts';
import { compileTexts, type NestedTexts } from '#src/core/compile-words.ts';

const PAGES = fileURLToPath(new URL('../../dashboard/', import.meta.url));
/** Libraries that are served to browsers unchanged: path of the file by import name. */
const LIBRARIES: Record<string, string> = {
  preact: 'preact/dist/preact.mjs',
  'preact/hooks': 'preact/hooks/dist/hooks.mjs',
  htm: 'htm/dist/htm.module.js',
  qr: 'qr/index.js',
  'icu-minify/format': 'icu-minify/dist/esm/production/format.js',
  // The IIFE script (one global variable) is half the size of the ES module.
  uplot: 'uplot/dist/uPlot.iife.min.js',
};
/**
 * File name of the service worker, which caches the latest version of the pages. Browsers check by themselves whether this file has
 * changed.
 */
const WORKER = 'service-worker.js';
const STYLES: Record<string, string> = { 'uplot.css': 'uplot/dist/uPlot.min.css' };

const DIGEST_BYTES = 32;

type Source = () => Buffer | Promise<Buffer>;

/** Media type of a file, by the extension of its name. */
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'application/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json; charset=utf-8',
};

/**
 * Returns a function that returns a file of `src/dashboard` in the form for browsers, or undefined. All sources are read when the
 * process starts. Types are stripped when a file is first requested, because there is no build step.
 */
export function createAssetLoader(): (path: string) => Promise<CompressedFile> | undefined {
  const known = sources();
  return createFileCache((path) => {
    const read = known.get(path);
    return read && make(path, read);
  });
}

async function make(path: string, read: Source): Promise<CompressedFile> {
  const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  return compressFile(type, await read(), (plain) => cached('brotli 11', plain, () => compressBrotli(plain, 11)));
}

const digestOf = (...parts: (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/**
 * Returns the result of `compute` for the content of a file, if possible from a cache on the disk, because computing all modules takes two
 * seconds. The cache is in the folder of Node's compile cache. Each cached file begins with its digest, because a file may be empty after a
 * power cut.
 */
async function cached(how: string, content: Buffer | string, compute: () => Promise<Buffer>): Promise<Buffer> {
  const folder = getCompileCacheDir();
  if (folder === undefined) return compute();
  const file = join(folder, `dashboard-${digestOf(`${how}\n`, content).toString('hex')}`);
  const stored = await readFile(file).catch(() => Buffer.alloc(0));
  const [digest, body] = [stored.subarray(0, DIGEST_BYTES), stored.subarray(DIGEST_BYTES)];
  if (digestOf(body).equals(digest)) return body;
  const computed = await compute();
  const part = `${file}.${process.pid}`;
  await writeFile(part, Buffer.concat([digestOf(computed), computed]))
    .then(() => rename(part, file))
    .catch(() => {});
  return computed;
}

/** Lists all files by their path below `app/`. The form for browsers is built at the first request. */
function sources(): Map<string, Source> {
  const found = new Map<string, Source>();
  const words = new Map<string, Record<string, NestedTexts>>();
  const { resolve } = createRequire(import.meta.url);
  const version = createHash('sha256');
  // Digest of all files. The service worker contains the digest, so that the worker changes if any file changes.
  let digest: string | undefined;
  const versioned = (source: string) => {
    digest ??= version.digest('hex').slice(0, 16);
    return source.replace('VERSION', digest);
  };
  for (const entry of readdirSync(PAGES, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(PAGES, file).replaceAll('\\', '/');
    if (!entry.isFile() || !/\.([jt]s|css|html|svg|png|webmanifest)$|^words\/.*\.json$/.test(path)) continue;
    // Skips test files, which are next to the modules that they test.
    if (/\.(test|d)\.ts$/.test(path)) continue;
    const content = readFileSync(file);
    const asked = path.replace(/\.ts$/, '.js');
    version.update(path).update(content);
    const [, language, page] = /^words\/(\w+)\/(\w+)\.json$/.exec(path) ?? [];
    if (language && page) words.set(language, { ...words.get(language), [page]: JSON.parse(content.toString()) });
    else if (asked === WORKER) found.set(asked, () => moduleOf(path, versioned(content.toString())));
    else if (asked.endsWith('.js')) found.set(asked, () => moduleOf(path, content.toString()));
    else if (path === 'index.html') found.set(path, () => documentOf(content.toString(), [...found.keys()]));
    else found.set(path, () => content);
  }
  for (const [language, pages] of words)
    found.set(`words/${language}.json`, async () => Buffer.from(JSON.stringify(await compileTexts(pages))));
  const addLibrary = (name: string, file: string) => {
    const code = readFileSync(packaged(resolve, file), 'utf8');
    version.update(name).update(code);
    found.set(`lib/${name}.js`, () => Buffer.from(file.endsWith('.iife.min.js') ? exporting(code) : browsable(code)));
    for (const [, part = ''] of code.matchAll(/\bfrom\s*['"]\.\/([^'"\n]+)\.js['"]/g))
      addLibrary(join(dirname(name), part), join(dirname(file), `${part}.js`));
  };
  for (const [name, file] of Object.entries(LIBRARIES)) addLibrary(name, file);
  for (const [name, file] of Object.entries(STYLES)) {
    const content = readFileSync(packaged(resolve, file));
    found.set(`lib/${name}`, () => content);
  }
  return found;
}

/** Returns the path of a file in an installed package, even if the package does not export that file. */
function packaged(resolve: NodeJS.RequireResolve, file: string): string {
  const [name = '', ...rest] = file.split('/');
  const places = (resolve.paths(name) ?? []).map((folder) => join(folder, name, ...rest));
  const found = places.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(`${file} is not installed; run npm ci`);
}

/**
 * Strips types and comments from a module. The compiler needs 17 MB of memory, so it is imported only when needed. In an
 * installed package, types are already stripped.
 */
async function moduleOf(path: string, source: string): Promise<Buffer> {
  if (path.endsWith('.js')) return Buffer.from(browsable(source));
  const stripped = await cached('stripped', source, async () => {
    const { transformSync } = await import('amaro');
    return Buffer.from(transformSync(source, { mode: 'transform' }).code);
  });
  return Buffer.from(browsable(stripped.toString()));
}

/** Turns a script that defines one global variable into a module that exports this variable. */
const exporting = (code: string): string => `${code}\nexport default ${/^var (\w+)=/m.exec(code)?.[1]};`;

/**
 * Rewrites the imports of a module for browsers: libraries are imported by their path on this server, and the service's own modules end in
 * .js.
 */
function browsable(code: string): string {
  return code.replaceAll(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\2/g, (whole, before, quote, name: string) => {
    if (name in LIBRARIES) return `${before}${quote}/dashboard/app/lib/${name}.js${quote}`;
    return name.startsWith('.') ? `${before}${quote}${name.replace(/\.ts$/, '.js')}${quote}` : whole;
  });
}

/** Returns the HTML document. Its head lists the modules of the first page, so that the browser fetches all of them at once. */
function documentOf(source: string, paths: string[]): Buffer {
  const early = paths
    .filter((path) => path.endsWith('.js') && !path.startsWith('pages/') && path !== 'service-worker.js')
    .map((path) => `<link rel="modulepreload" href="/dashboard/app/${path}">`);
  return Buffer.from(source.replace('<!-- modulepreload -->', early.join('')));
}
