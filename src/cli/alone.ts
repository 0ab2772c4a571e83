import type { Config } from '#src/config/load.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { lockDataDir } from '#src/start/data-dir-lock.ts';

/**
 * The database of a service that does not run: the data directory is held, and the embedded one started, until `release`.
 * Throws where a service runs on it.
 */
export async function startedDatabase({
  database,
  dataDir,
}: Config): Promise<{ url: string; release(): Promise<void> }> {
  const unlock = await lockDataDir(dataDir);
  if (database.url) return { url: database.url, release: async () => unlock() };
  const { url, stop } = await startEmbeddedPostgres({ dataDir }).catch((error) => {
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
