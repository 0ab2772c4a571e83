import { formatArchiveSettings } from '#src/backup/archive.ts';
import type { Config } from '#src/config/load.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { lockDataDir } from '#src/start/data-dir-lock.ts';

/**
 * Starts the embedded database while the service is not running, and locks the data directory until `release` is called. Throws if the
 * service is running.
 */
export async function openDatabaseOfStoppedService({
  database,
  dataDir,
  backup,
}: Config): Promise<{ url: string; release(): Promise<void> }> {
  const unlock = await lockDataDir(dataDir);
  if (database.url) return { url: database.url, release: async () => unlock() };
  const { url, stop } = await startEmbeddedPostgres({
    dataDir,
    extraSettings: formatArchiveSettings(backup.to !== undefined),
  }).catch((error) => {
    unlock();
    throw error;
  });
  return {
    url,
    async release() {
      await stop();
      unlock();
    },
  };
}
