import { statfs } from 'node:fs/promises';
import type { Logger } from '#src/core/log.ts';

/**
 * Minimum free space as a share of the disk. The service logs a warning if the free space is below this share and also below `MIN_BYTES`.
 */
const MIN_SHARE = 0.1;
const MIN_BYTES = 2 * 2 ** 30;

/** Returns the free and total space, in bytes, of the disk that contains a folder. */
export async function readDiskSpace(folder: string): Promise<{ freeBytes: number; allBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, allBytes: blocks * bsize };
}

/** Logs a warning while the disk of the data directory is nearly full. */
export async function warnOfNearlyFullDisk(dataDir: string, log: Logger): Promise<void> {
  const { freeBytes, allBytes } = await readDiskSpace(dataDir);
  if (freeBytes >= MIN_BYTES && freeBytes >= allBytes * MIN_SHARE) return;
  const free_mib = Math.round(freeBytes / 2 ** 20);
  const share = Math.round((100 * freeBytes) / allBytes);
  log.warn(
    { data_dir: dataDir, free_mib, free_percent: share },
    'the disk is nearly full: free some of it, or keep readings for less long (RETENTION_MONTHS)',
  );
}
