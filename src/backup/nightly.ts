import { rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '#src/core/log.ts';
import { runWithSeparatePool } from '#src/database/connect.ts';
import { getSuperuserUrl } from '#src/database/embedded-postgres.ts';
import { getInstallationFolderName, takeBaseBackup } from './base.ts';
import { hasCompleteWalSinceCopy, listExpiredBackups } from './copies.ts';
import { findBackupCopies, listArchivedWalSegments, makePrivateFolder } from './files.ts';
import {
  assertBackupTargetMounted,
  type BackupPlan,
  readCopyState,
  readWalDiscardStartTime,
  resumeWalArchiving,
  writeCopyState,
} from './plan.ts';

/** Number of nightly copies that are retained. */
const KEPT = 7;

/**
 * Makes the nightly copy. Removes copies beyond the newest seven, and the WAL that no remaining copy needs. In DATA_DIR/backups,
 * a copy is made only if twice the size of the database is free. Throws if the copy fails.
 */
export async function makeNightlyCopy(plan: BackupPlan, log: Logger, now: Date): Promise<void> {
  const { dataDir, target, isArchiving, key } = plan;
  const state = await readCopyState(dataDir);
  try {
    const tooLittle = isArchiving ? null : await reasonOfSpace(plan);
    if (tooLittle !== null) {
      log.warn({ target }, tooLittle);
      return await writeCopyState(dataDir, { ...state, error: tooLittle });
    }
    const installation = await getInstallationFolderName(dataDir);
    await assertBackupTargetMounted(plan, installation);
    // Archiving resumes before the copy, so that the archived WAL continues from the copy.
    await resumeWalArchiving(dataDir);
    const { folder, manifest, packedBytes } = await takeBaseBackup({ dataDir, target, installation, key, now });
    const last = { folder, at: manifest.complete_until, packed_bytes: packedBytes, bytes: manifest.bytes };
    await writeCopyState(dataDir, { ...(await readCopyState(dataDir)), last, error: null });
    log.info({ folder, packed_bytes: packedBytes }, 'base copy made');
    await expire(join(target, installation));
  } catch (error) {
    await writeCopyState(dataDir, { ...(await readCopyState(dataDir)), error: (error as Error).message });
    throw error;
  }
}

/** Makes a base copy at once if there is no copy from which the archived WAL continues. */
export async function makeCopyIfWalIncomplete(plan: BackupPlan, log: Logger, now: Date): Promise<void> {
  const { dataDir, target, isArchiving } = plan;
  // If archiving is suspended, the disk of the archive is full or missing. Therefore no copy is made before the next night.
  if (!isArchiving || (await readWalDiscardStartTime(dataDir)) !== null) return;
  const home = join(target, await getInstallationFolderName(dataDir));
  const archived = new Set((await listArchivedWalSegments(home)).keys());
  if (!hasCompleteWalSinceCopy(await findBackupCopies(home), archived)) await makeNightlyCopy(plan, log, now);
}

async function reasonOfSpace({ dataDir, target }: BackupPlan): Promise<string | null> {
  return runWithSeparatePool(
    getSuperuserUrl(dataDir, 'postgres'),
    { max: 1, applicationName: 'energy backup' },
    async (pool) => {
      // Raw SQL: the statement uses functions and the catalogue of PostgreSQL.
      const { rows } = await pool.query('SELECT sum(pg_database_size(oid)) AS bytes FROM pg_database');
      await makePrivateFolder(target);
      const { bavail, bsize } = await statfs(target);
      const freeBytes = bavail * bsize;
      const neededBytes = 2 * Number(rows[0].bytes);
      if (freeBytes >= neededBytes) return null;
      const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MiB`;
      return `No nightly copy: ${mib(freeBytes)} are free in ${target}, less than twice the database (${mib(neededBytes)}). Set BACKUP_TO to a folder on another disk.`;
    },
  );
}

async function expire(home: string): Promise<void> {
  const segments = await listArchivedWalSegments(home);
  const { folders, segments: unneeded } = listExpiredBackups(await findBackupCopies(home), [...segments.keys()], KEPT);
  for (const folder of folders) {
    // Renames the copy first, so that a partly removed copy does not look complete.
    await rename(folder, `${folder}.partial`);
    await rm(`${folder}.partial`, { recursive: true, force: true });
  }
  for (const name of unneeded) await rm(segments.get(name) as string, { force: true });
}
