import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, cp, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What belongs to a server that runs, or to the place of the cluster: a copy has its own. */
const ITS_OWN = /^(postmaster\.(pid|opts)|socket-folder|\.s\.PGSQL\..*)$/;
const GIGABYTE = 1_000_000_000;

/** Tells a cluster that no server runs on from what it was before one ran on it again: its control file changes with every start. */
export async function stateOfCluster(cluster: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(cluster, 'global/pg_control')))
    .digest('hex');
}

/**
 * Copies a cluster that no server runs on, unless it was copied in this very state before. Returns whether it was copied now. Throws where the
 * disk has no room for the copy and for what is made of it.
 */
export async function copyCluster(cluster: string, copy: string, state: string): Promise<boolean> {
  const note = `${copy}.of`;
  if ((await readFile(note, 'utf8').catch(() => '')) === state) return false;
  await rm(dirname(copy), { recursive: true, force: true });
  const [needed, free] = await Promise.all([sizeOf(cluster), freeBytes(dirname(cluster))]);
  if (free < 2 * needed) {
    const gigabytes = (bytes: number) => (bytes / GIGABYTE).toFixed(1);
    throw new Error(
      `The upgrade takes ${gigabytes(2 * needed)} GB of disk for a while, and ${dirname(cluster)} has ${gigabytes(free)} GB. ` +
        'Make room, or copy DATA_DIR to a larger disk and upgrade it there.',
    );
  }
  // What WAL or tablespaces lie elsewhere by a link is copied, too: the copy's server must not write into the original. Where the file system
  // can it shares the blocks until they change.
  const options = { recursive: true, dereference: true, preserveTimestamps: true, mode: constants.COPYFILE_FICLONE };
  const filter = (path: string) => !ITS_OWN.test(basename(path));
  await cp(cluster, `${copy}.new`, { ...options, filter });
  await chmod(`${copy}.new`, 0o700);
  await rename(`${copy}.new`, copy);
  await writeFile(note, state);
  return true;
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files.map(async (one) => (one.isFile() ? (await stat(join(one.parentPath, one.name))).size : 0));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
