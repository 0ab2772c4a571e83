import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runProgram } from './run.ts';

const CLIENTS = resolve(import.meta.dirname, '../../../clients');
/** Debian's Python, whose packages provide pip and the build tools. */
export const PYTHON = '/usr/bin/python3';

/** Packs the TypeScript client as `npm publish` would, and installs it in a subfolder. Returns the URL of its module. */
export async function installTypescript(folder: string): Promise<string> {
  await runProgram('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(CLIENTS, 'typescript') });
  const [packed = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const app = join(folder, 'app');
  await mkdir(app);
  await writeFile(join(app, 'package.json'), '{"private":true,"type":"module"}');
  await runProgram('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', join(folder, packed)], {
    cwd: app,
  });
  return pathToFileURL(join(app, 'node_modules/energy-usage-client/dist/index.js')).href;
}

/** Builds and installs the Python client offline. Returns its folder. */
export async function installPython(folder: string): Promise<string> {
  const [source, target] = [join(folder, 'source'), join(folder, 'python')];
  // Built in a copy, because a build leaves folders behind.
  await cp(join(CLIENTS, 'python'), source, { recursive: true });
  const quietly = ['--quiet', '--no-build-isolation', '--no-deps', '--no-index', '--disable-pip-version-check'];
  await runProgram(PYTHON, ['-m', 'pip', 'install', ...quietly, '--target', target, source]);
  return target;
}
