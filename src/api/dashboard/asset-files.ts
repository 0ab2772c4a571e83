import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { createRequire, getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { compileWords, type Texts } from '#src/core/compile-words.ts';

const PAGES = fileURLToPath(new URL('../../dashboard/', import.meta.url));
/** Libraries that the browser gets unchanged, with their files, by import name. */
const LIBRARIES: Record<string, string> = {
  preact: 'preact/dist/preact.mjs',
  'preact/hooks': 'preact/hooks/dist/hooks.mjs',
  htm: 'htm/dist/htm.module.js',
  qr: 'qr/index.js',
  'icu-minify/format': 'icu-minify/dist/esm/production/format.js',
  // This script is half the size of the library's module.
  uplot: 'uplot/dist/uPlot.iife.min.js',
};
/**
 * Path of the service worker, which caches the last version of the pages. The browser itself checks whether the worker
 * has changed.
 */
const WORKER = 'service-worker.js';
const STYLES: Record<string, string> = { 'uplot.css': 'uplot/dist/uPlot.min.css' };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)];

/** Length of a SHA-256. */
const DIGEST_BYTES = 32;

type Source = () => Buffer | Promise<Buffer>;

/** Files of the dashboard's pages as served to browsers, each with its compressed forms (`app.js`, `app.js.br`, `app.js.gz`). */
export interface AssetFiles {
  /** Builds a file when it is first requested. Returns the folder that contains it. Null if there is no such file. */
  folderOf(path: string): Promise<string | null>;
  remove(): Promise<void>;
}

/**
 * Reads `src/dashboard` as it was when the process started, because the pages belong to its operations. There is no build step: types are
 * stripped into a temporary folder of this process.
 */
export function createAssetFiles(): AssetFiles {
  const known = sources();
  let current: Place | undefined;
  const place = (): Place => {
    if (current) return current;
    const begun: Place = { folder: temporaryFolder(), made: new Map() };
    begun.folder.catch(() => leave(begun));
    current = begun;
    return begun;
  };
  const leave = (left: Place) => {
    if (current === left) current = undefined;
  };
  return {
    async folderOf(path) {
      const read = known.get(path);
      if (!read) return null;
      const here = place();
      const folder = await madeIn(here, path, read);
      if (existsSync(join(folder, path))) return folder;
      // The temporary files may have been deleted by a clean-up (Debian does so after ten days). New files are created
      // in a new folder, because another user may own the old path by now.
      leave(here);
      return madeIn(place(), path, read);
    },
    async remove() {
      const folder = await current?.folder.catch(() => undefined);
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A temporary folder and the files built in it. */
interface Place {
  folder: Promise<string>;
  made: Map<string, Promise<void>>;
}

async function madeIn(place: Place, path: string, read: Source): Promise<string> {
  const folder = await place.folder;
  const making = place.made.get(path) ?? make(path, read, folder);
  place.made.set(path, making);
  // After a failed build, the next request tries again.
  making.catch(() => place.made.delete(path));
  await making;
  return folder;
}

async function temporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'energy-dashboard-'));
  } catch (error) {
    throw new Error('The dashboard needs a folder for temporary files: set TMPDIR to one that can be written', {
      cause: error,
    });
  }
}

/**
 * Writes a file in its forms. @fastify/static computes an ETag from a file's length and time. So the time is derived
 * from the content: it differs if the content differs, and is the same in every process.
 */
async function make(path: string, read: Source, folder: string): Promise<void> {
  const content = await read();
  const time = createHash('sha256').update(content).digest().readUInt32BE();
  await mkdir(dirname(join(folder, path)), { recursive: true });
  const forms = {
    '': content,
    '.br': await cached('brotli 11', content, () => brotli(content, BROTLI)),
    '.gz': await gzipped(content),
  };
  for (const [ending, form] of Object.entries(forms)) {
    await writeFile(join(folder, path + ending), form);
    await utimes(join(folder, path + ending), new Date(), time);
  }
}

const digestOf = (...parts: (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/**
 * Returns the result of `compute` for a content, from the cache if an earlier process stored it. All modules together
 * take two seconds of CPU time, for which the first visitor after each start would wait. Entries are in the folder of
 * Node's compile cache (src/cli/main.ts); without one, or if it is not writable, nothing is cached. Each entry begins
 * with its digest, because a file may be empty after a power cut.
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

/** Lists all files by their path below `app/`. Sources are read now; a file is built when it is requested. */
function sources(): Map<string, Source> {
  const found = new Map<string, Source>();
  const words = new Map<string, Record<string, Texts>>();
  const { resolve } = createRequire(import.meta.url);
  const version = createHash('sha256');
  // Computed after all files were read, because the service worker must change if any file changes.
  let digest: string | undefined;
  const versioned = (source: string) => {
    digest ??= version.digest('hex').slice(0, 16);
    return source.replace('VERSION', digest);
  };
  for (const entry of readdirSync(PAGES, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(PAGES, file).replaceAll('\\', '/');
    if (!entry.isFile() || !/\.([jt]s|css|html|svg|png|webmanifest)$|^words\/.*\.json$/.test(path)) continue;
    // Test files are skipped, which are next to the module that they test.
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
    found.set(`words/${language}.json`, async () => Buffer.from(JSON.stringify(await compileWords(pages))));
  const addLibrary = (name: string, file: string) => {
    const code = readFileSync(packaged(resolve, file), 'utf8');
    version.update(name).update(code);
    found.set(`lib/${name}.js`, () => Buffer.from(file.endsWith('.iife.min.js') ? exporting(code) : browsable(code)));
    // A library may consist of several files.
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

/** Returns the path of a file in a package, even if the package does not export it. */
function packaged(resolve: NodeJS.RequireResolve, file: string): string {
  const [name = '', ...rest] = file.split('/');
  const places = (resolve.paths(name) ?? []).map((folder) => join(folder, name, ...rest));
  const found = places.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(`${file} is not installed; run npm ci`);
}

/**
 * Strips types and comments from a module; they are a seventh of its size. For an installed package, the release has
 * already done so. The compiler is imported with the first module, because it takes 17 MB that an API without visitors
 * to the dashboard does not need.
 */
async function moduleOf(path: string, source: string): Promise<Buffer> {
  if (path.endsWith('.js')) return Buffer.from(browsable(source));
  const stripped = await cached('stripped', source, async () => {
    const { transformSync } = await import('amaro');
    return Buffer.from(transformSync(source, { mode: 'transform' }).code);
  });
  return Buffer.from(browsable(stripped.toString()));
}

/** Turns a script that defines one variable into a module that exports it. */
const exporting = (code: string): string => `${code}\nexport default ${/^var (\w+)=/m.exec(code)?.[1]};`;

/** Rewrites imports for a browser: libraries get their address here, and the service's own modules end in .js. */
function browsable(code: string): string {
  return code.replaceAll(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\2/g, (whole, before, quote, name: string) => {
    if (name in LIBRARIES) return `${before}${quote}/dashboard/app/lib/${name}.js${quote}`;
    return name.startsWith('.') ? `${before}${quote}${name.replace(/\.ts$/, '.js')}${quote}` : whole;
  });
}

/**
 * Returns the HTML document. Its head names the modules of the first page, so that they are fetched at once instead of
 * import by import. Modules of a language are not among them, because only the browser knows it.
 */
function documentOf(source: string, paths: string[]): Buffer {
  const early = paths
    .filter((path) => path.endsWith('.js') && !path.startsWith('pages/') && path !== 'service-worker.js')
    .map((path) => `<link rel="modulepreload" href="/dashboard/app/${path}">`);
  return Buffer.from(source.replace('<!-- modulepreload -->', early.join('')));
}
