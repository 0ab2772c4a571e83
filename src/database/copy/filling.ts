import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, cp, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  canCloseForWriting,
  closeDatabaseForWriting,
  explainDatabaseClosing,
  isClosedForWriting,
  MOVE_TARGET_ID_PREFIX,
  openDatabaseForWriting,
} from '../closing.ts';
import type { Pool } from '../connect.ts';
import { runInTransaction } from '../transaction.ts';

// Raw SQL: the schema may be that of another version of the service.
interface Pools {
  source: Pool;
  target: Pool;
}

/**
 * Marks the target as being filled from the source, and closes it for writing, so that no service can start on a partial copy. Throws an
 * error with the remedy if another move has already marked it.
 */
export async function markTargetAsFilling({ source, target }: Pools): Promise<void> {
  const [from, to] = await Promise.all([stateOf(source), stateOf(target)]);
  if (from.id.startsWith(MOVE_TARGET_ID_PREFIX)) throw new Error(await explainDatabaseClosing(source));
  if (to.isClosed && to.id === MOVE_TARGET_ID_PREFIX + from.id) return;
  if (from.isClosed) throw new Error(await explainDatabaseClosing(source));
  if (to.hasUsers || to.isClosed)
    throw new Error(
      `The database of --to ${to.isClosed ? 'is closed for writing by another move' : 'has users of its own'}. ` +
        'Name an empty one: nothing was copied.',
    );
  for (const pool of [source, target]) {
    if (!(await canCloseForWriting(pool)))
      throw new Error(
        'The role must own both databases, so that it can close them for writing. As a superuser: ALTER DATABASE … OWNER ' +
          `TO …, for the ${pool === source ? 'old' : 'new'} one. Nothing was copied.`,
      );
  }
  await runInTransaction(target, async (client) => {
    await client.query('UPDATE installation SET installation_id = $1', [MOVE_TARGET_ID_PREFIX + from.id]);
    await closeDatabaseForWriting(client);
  });
}

/** Gives the target the id of the source installation, and opens it for writing. */
export async function markTargetAsFilled({ source, target }: Pools): Promise<void> {
  const { id, shards } = await stateOf(source);
  await runInTransaction(target, async (client) => {
    await client.query('UPDATE installation SET installation_id = $1, shards = $2', [id, shards]);
    await openDatabaseForWriting(client);
  });
}

/** Whether an earlier, interrupted move has already completed the target. */
export async function isTargetFilled({ source, target }: Pools): Promise<boolean> {
  const [from, to] = await Promise.all([stateOf(source), stateOf(target)]);
  return from.isClosed && !to.isClosed && to.id === from.id;
}

async function stateOf(
  pool: Pool,
): Promise<{ id: string; shards: number | null; hasUsers: boolean; isClosed: boolean }> {
  const { rows } = await pool.query(
    // An earlier version has no column `shards`.
    `SELECT installation_id AS id, (to_jsonb(installation) ->> 'shards')::smallint AS shards,
       EXISTS (SELECT FROM users) AS "hasUsers" FROM installation`,
  );
  return { ...rows[0], isClosed: await isClosedForWriting(pool) };
}

/** Files of a running server, which are not copied. */
const ITS_OWN = /^(postmaster\.(pid|opts)|socket-folder|\.s\.PGSQL\..*)$/;
const GIGABYTE = 1_000_000_000;

/** Returns a hash that changes whenever a server runs on the cluster. */
export async function hashClusterState(cluster: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(cluster, 'global/pg_control')))
    .digest('hex');
}

/**
 * Copies a stopped cluster, unless the copy already has the state `state` (a hash). Returns whether it made a copy. Throws if there is not
 * enough disk space.
 */
export async function copyCluster(cluster: string, copy: string, state: string): Promise<boolean> {
  const note = `${copy}.of`;
  if ((await readFile(note, 'utf8').catch(() => '')) === state) return false;
  await rm(dirname(copy), { recursive: true, force: true });
  const [needed, free] = await Promise.all([sizeOf(cluster), freeBytes(dirname(cluster))]);
  if (free < 2 * needed) {
    const gigabytes = (bytes: number) => (bytes / GIGABYTE).toFixed(1);
    throw new Error(
      `The upgrade takes ${gigabytes(2 * needed)} GB of disk space until it is complete, and ${dirname(cluster)} has ${gigabytes(free)} GB. ` +
        'Make room, or copy DATA_DIR to a larger disk and upgrade it there.',
    );
  }
  // Symbolic links are followed, because the server of the copy must not write to the originals.
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
