import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Path of Debian's Python. Debian's packages also provide pip and the build tools for it. */
export const PYTHON_PATH = '/usr/bin/python3';
/** Folder of the programs of this repository's libraries, such as tsc. */
const PROGRAMS = resolve(import.meta.dirname, '../../node_modules/.bin');

/** Reads the versions of the client packages in a checkout's folder `clients`, by file. `npm run client` writes these files. */
export async function readClientVersions(clients: string): Promise<Record<string, string | undefined>> {
  const python = 'python/src/energy_usage/_version.py';
  return {
    'clients/typescript/package.json': JSON.parse(await readFile(join(clients, 'typescript/package.json'), 'utf8'))
      .version,
    [`clients/${python}`]: /"(.+)"/.exec(await readFile(join(clients, python), 'utf8'))?.[1],
  };
}

/** Packs the TypeScript client into a folder, as `npm publish` does: npm runs `tsc` first. Returns the file's name. */
export async function packTypescriptClient(clients: string, folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: join(clients, 'typescript'),
    env: { ...process.env, PATH: `${PROGRAMS}${delimiter}${process.env.PATH}` },
  });
  return stdout.trim();
}

/** Builds the wheel of the Python client into a folder, without a network. Its files have the given time. Returns the file's name. */
export async function packPythonClient(clients: string, folder: string, madeAt: Date): Promise<string> {
  // The wheel is built in a copy of the client, because a build leaves folders behind.
  const work = await mkdtemp(join(tmpdir(), 'energy-wheel-'));
  try {
    const source = join(work, 'source');
    await cp(join(clients, 'python'), source, { recursive: true });
    const options = ['--quiet', '--no-build-isolation', '--no-deps', '--no-index', '--disable-pip-version-check'];
    await run(PYTHON_PATH, ['-m', 'pip', 'wheel', ...options, '--wheel-dir', join(work, 'wheel'), source], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(Math.floor(madeAt.getTime() / 1_000)) },
    });
    const [name = ''] = await readdir(join(work, 'wheel'));
    await cp(join(work, 'wheel', name), join(folder, name));
    return name;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
