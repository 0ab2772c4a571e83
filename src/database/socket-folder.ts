import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Unix socket's path may have so many bytes (sun_path, without its terminating zero). */
const MAX_SOCKET_PATH_BYTES = 107;
export const SOCKET_NAME = '.s.PGSQL.5432';

const fits = (folder: string): boolean => Buffer.byteLength(join(folder, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
const recordOf = (cluster: string): string => join(cluster, 'socket-folder');

/**
 * Where the socket of a cluster lies, made or not: in the cluster, which is its owner's alone; where that path is too long in a folder
 * that `makeSocketFolder` made and noted. So every process finds it, whatever its TMPDIR.
 */
export function socketFolderOf(cluster: string): string {
  return fits(cluster) ? cluster : (noted(cluster) ?? inUse(cluster) ?? cluster);
}

/** Makes the folder of a server's socket, of a name that nobody can know and for its owner alone, unless it is there. */
export function makeSocketFolder(cluster: string): string {
  if (fits(cluster)) return cluster;
  const known = noted(cluster);
  // One that a clean-up removed is made again: processes of the service still name it.
  if (known !== null && (isOurs(known) || isMadeAgain(known))) return known;
  const base = [tmpdir(), '/tmp'].find((folder) => fits(join(folder, 'energy-XXXXXX'))) ?? '/tmp';
  const made = mkdtempSync(join(base, 'energy-'));
  writeFileSync(recordOf(cluster), `${cluster}\n${made}\n`, { mode: 0o600 });
  return made;
}

/** Removes the folder of a server that has ended, where it is not the cluster; it is made again under its name. */
export function removeSocketFolder(cluster: string): void {
  const folder = noted(cluster);
  if (folder === null) return;
  try {
    rmdirSync(folder);
  } catch {
    // Not ours any more, or not empty.
  }
}

/** What was noted for this very cluster: a copy of it has a folder of its own. */
function noted(cluster: string): string | null {
  const [of, folder] = linesOf(recordOf(cluster));
  return of === cluster && folder ? folder : null;
}

/** Where a running server says that its socket is, which an earlier version of the service started (pid file: line 2 its cluster, 5 the folder). */
function inUse(cluster: string): string | null {
  const [, of, , , folder] = linesOf(join(cluster, 'postmaster.pid'));
  return of === cluster && folder ? folder : null;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Whether a folder is this user's, and nobody else enters it: in a folder for all anybody could have made it. */
function isOurs(folder: string): boolean {
  try {
    const { uid, mode } = lstatSync(folder);
    const isFolder = (mode & 0o170_000) === 0o040_000;
    return isFolder && uid === process.getuid?.() && (mode & 0o077) === 0;
  } catch {
    return false;
  }
}

function isMadeAgain(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}
