import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PYTHON_PATH, packPythonClient, packTypescriptClient } from '../../../deploy/release/clients.ts';
import { runProgram } from './run.ts';

const CLIENTS = resolve(import.meta.dirname, '../../../clients');

/** Installs the npm package of the TypeScript client, packed as for a release, in the subfolder `app`. Returns the URL of its module. */
export async function installTypescriptClient(folder: string, archive?: string): Promise<string> {
  const file = archive ?? join(folder, await packTypescriptClient(CLIENTS, folder));
  const app = join(folder, 'app');
  await mkdir(app);
  await writeFile(join(app, 'package.json'), '{"private":true,"type":"module"}');
  await runProgram('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', file], {
    cwd: app,
  });
  return pathToFileURL(join(app, 'node_modules/energy-usage-client/dist/index.js')).href;
}

/**
 * Installs the wheel of the Python client, built as for a release, in a virtual environment. Returns the path of its Python interpreter.
 */
export async function installPythonClient(folder: string, wheel?: string): Promise<string> {
  const file = wheel ?? join(folder, await packPythonClient(CLIENTS, folder, new Date()));
  const environment = join(folder, 'python');
  await runProgram(PYTHON_PATH, ['-m', 'venv', '--without-pip', environment]);
  const python = join(environment, 'bin/python');
  const quietly = ['--quiet', '--no-index', '--disable-pip-version-check'];
  await runProgram(PYTHON_PATH, ['-m', 'pip', '--python', python, 'install', ...quietly, file]);
  return python;
}
