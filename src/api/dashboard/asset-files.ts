import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { compileWords } from './compile-words.ts';

const PAGES = fileURLToPath(new URL('../../dashboard/', import.meta.url));
/** Libraries that the browser gets as they are shipped, by the name that they are imported by. */
const LIBRARIES: Record<string, string> = {
  preact: 'preact/dist/preact.mjs',
  'preact/hooks': 'preact/hooks/dist/hooks.mjs',
  htm: 'htm/dist/htm.module.js',
  'icu-minify/format': 'icu-minify/dist/esm/production/format.js',
  uplot: 'uplot/dist/uPlot.esm.js',
};
/** Keeps what was seen last: the browser looks whether it is another one. */
const WORKER = 'service-worker.ts';
const STYLES: Record<string, string> = { 'uplot.css': 'uplot/dist/uPlot.min.css' };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)];

type Source = () => Buffer | Promise<Buffer>;

/** The pages' files as browsers get them, each beside its compressed forms (`app.js`, `app.js.br`, `app.js.gz`). */
export interface AssetFiles {
  /** Makes a file, the first time that it is asked for. Answers the folder that it lies in; null where there is no such file. */
  folderOf(path: string): Promise<string | null>;
  remove(): Promise<void>;
}

/**
 * What is in `src/dashboard`, as it was when the process started: the pages belong to its operations. There is no build step: what
 * has types is stripped of them, once, into a folder of temporary files of this process.
 */
export function assetFiles(): AssetFiles {
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
      // Somebody has cleared temporary files away (Debian does so after ten days). Not into the same folder again: it may be anybody's.
      leave(here);
      return madeIn(place(), path, read);
    },
    async remove() {
      const folder = await current?.folder.catch(() => undefined);
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A folder, and what was made in it. */
interface Place {
  folder: Promise<string>;
  made: Map<string, Promise<void>>;
}

async function madeIn(place: Place, path: string, read: Source): Promise<string> {
  const folder = await place.folder;
  const making = place.made.get(path) ?? make(path, read, folder);
  place.made.set(path, making);
  // Tried again with the next request.
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
 * Writes a file in its forms. @fastify/static makes an ETag of a file's length and time, so the time is made of the content: it
 * is another where the content is, and the same in every process.
 */
async function make(path: string, read: Source, folder: string): Promise<void> {
  const content = await read();
  const time = createHash('sha256').update(content).digest().readUInt32BE();
  await mkdir(dirname(join(folder, path)), { recursive: true });
  const forms = { '': content, '.br': await brotli(content, BROTLI), '.gz': await gzipped(content) };
  for (const [ending, form] of Object.entries(forms)) {
    await writeFile(join(folder, path + ending), form);
    await utimes(join(folder, path + ending), new Date(), time);
  }
}

/** What there is to serve, by its path below `app/`: read now, made when it is asked for. */
function sources(): Map<string, Source> {
  const found = new Map<string, Source>();
  const words = new Map<string, Record<string, string>>();
  const { resolve } = createRequire(import.meta.url);
  const version = createHash('sha256');
  // Asked for when all files were read: a worker is another one where any file is.
  let digest: string | undefined;
  const versioned = (source: string) => {
    digest ??= version.digest('hex').slice(0, 16);
    return source.replace('VERSION', digest);
  };
  for (const entry of readdirSync(PAGES, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(PAGES, file).replaceAll('\\', '/');
    if (!entry.isFile() || !/\.(ts|css|html|svg|png|webmanifest)$|^words\/.*\.json$/.test(path)) continue;
    // Tests without I/O lie next to the module that they test.
    if (/\.(test|d)\.ts$/.test(path)) continue;
    const content = readFileSync(file);
    version.update(path).update(content);
    const [, language, page] = /^words\/(\w+)\/(\w+)\.json$/.exec(path) ?? [];
    if (language && page) words.set(language, { ...words.get(language), [page]: content.toString() });
    else if (path === WORKER) found.set('service-worker.js', () => moduleOf(versioned(content.toString())));
    else if (path.endsWith('.ts')) found.set(path.replace(/ts$/, 'js'), () => moduleOf(content.toString()));
    else if (path === 'index.html') found.set(path, () => documentOf(content.toString(), [...found.keys()]));
    else found.set(path, () => content);
  }
  for (const [language, pages] of words) found.set(`words/${language}.json`, () => compileWords(pages));
  const addLibrary = (name: string, file: string) => {
    const code = readFileSync(packaged(resolve, file), 'utf8');
    version.update(name).update(code);
    found.set(`lib/${name}.js`, () => Buffer.from(browsable(code)));
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

/** A file of a package, whatever the package's exports say of it. */
function packaged(resolve: NodeJS.RequireResolve, file: string): string {
  const [name = '', ...rest] = file.split('/');
  const places = (resolve.paths(name) ?? []).map((folder) => join(folder, name, ...rest));
  const found = places.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(`${file} is not installed; run npm ci`);
}

/**
 * A module without types and comments, which are a seventh of what a browser would get. What does it is fetched when the first module is
 * asked for: it takes 17 MB that an API without a dashboard's visitor can do without.
 */
async function moduleOf(source: string): Promise<Buffer> {
  const { transformSync } = await import('amaro');
  return Buffer.from(browsable(transformSync(source, { mode: 'transform' }).code));
}

/** Imports as a browser resolves them: libraries by their address here, modules of ours as .js. */
function browsable(code: string): string {
  return code.replaceAll(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\2/g, (whole, before, quote, name: string) => {
    if (name in LIBRARIES) return `${before}${quote}/dashboard/app/lib/${name}.js${quote}`;
    return name.startsWith('.') ? `${before}${quote}${name.replace(/\.ts$/, '.js')}${quote}` : whole;
  });
}

/** The document, with the modules of the first page named in its head: fetched at once instead of import by import. The browser alone knows the language. */
function documentOf(source: string, paths: string[]): Buffer {
  const early = paths
    .filter((path) => path.endsWith('.js') && !path.startsWith('pages/') && path !== 'service-worker.js')
    .map((path) => `<link rel="modulepreload" href="/dashboard/app/${path}">`);
  return Buffer.from(source.replace('<!-- modulepreload -->', early.join('')));
}
