import type { Config } from '#src/config/load.ts';
import { getEmbeddedDatabaseUrl, isEmbeddedPostgresRunning } from './embedded-postgres.ts';

/** Returns the URL of the configured or embedded database. Throws an error with the remedy if the embedded one is not running. */
export async function findDatabaseUrl(config: Config): Promise<string> {
  if (config.database.url) return config.database.url;
  if (await isEmbeddedPostgresRunning(config.dataDir)) return getEmbeddedDatabaseUrl(config.dataDir);
  throw new Error(
    `No database: DATABASE_URL is not set, and the embedded one in ${config.dataDir} does not run. ` +
      'Start the service first (npm start, or npm run demo), or set DATABASE_URL or DATA_DIR.',
  );
}
