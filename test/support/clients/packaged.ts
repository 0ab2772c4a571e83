import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PYTHON, packPython, packTypescript } from '../../../deploy/release/clients.ts';
import { runProgram } from './run.ts';

const CLIENTS = resolve(import.meta.dirname, '../../../clients');

/** Installs the npm package of the TypeScript client, as a release contains it, in a subfolder. Returns the URL of its module. */
export async function installTypescript(folder: string): Promise<string> {
  const packed = await packTypescript(CLIENTS, folder);
  const app = join(folder, 'app');
  await mkdir(app);
  await writeFile(join(app, 'package.json'), '{"private":true,"type":"module"}');
  await runProgram('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', join(folder, packed)], {
    cwd: app,
  });
  return pathToFileURL(join(app, 'node_modules/energy-usage-client/dist/index.js')).href;
}

/** Installs the wheel of the Python client, as a release contains it, offline. Returns its folder. */
export async function installPython(folder: string): Promise<string> {
  const wheel = await packPython(CLIENTS, folder, new Date());
  const target = join(folder, 'python');
  const quietly = ['--quiet', '--no-deps', '--no-index', '--disable-pip-version-check'];
  await runProgram(PYTHON, ['-m', 'pip', 'install', ...quietly, '--target', target, join(folder, wheel)]);
  return target;
}
