import type { Config } from '#src/config/load.ts';
import { linesForTerminal } from '#src/core/output.ts';
import { createDb, createPool, type Database, type Pool } from '#src/database/connect.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { refuseNewer } from '#src/database/migrate.ts';
import { loadConfigBeside } from '#src/start/ports.ts';

/** Prints one JSON object for programs, or lines of text for people. */
export function show(json: boolean | undefined, value: object, text: string): void {
  console.log(json ? JSON.stringify(value) : linesForTerminal(text));
}

/** Runs `work` with a connection to the database of the running service. */
export const withDatabase = (work: (db: Database, config: Config) => Promise<void>): Promise<void> =>
  withPool('energy command', (pool, config) => work(createDb(pool), config));

/**
 * Runs work that needs its own connection pool on the database of the running service. `applicationName`: name of these connections in
 * PostgreSQL.
 */
export async function withPool<T>(
  applicationName: string,
  work: (pool: Pool, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfigBeside();
  const pool = createPool(await databaseUrl(config), { max: 3, applicationName });
  try {
    await refuseNewer(pool);
    return await work(pool, config);
  } finally {
    await pool.end();
  }
}
