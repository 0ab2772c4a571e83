import type { Config } from '#src/config/load.ts';
import { escapeForTerminal } from '#src/core/output.ts';
import { createDb, createPool, type Database, type Pool } from '#src/database/connect.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { refuseNewer } from '#src/database/migrate.ts';
import { loadConfigBeside } from '#src/start/ports.ts';

/** Prints one JSON object for programs, or lines of text for people. */
export function printResult(json: boolean | undefined, value: object, text: string): void {
  console.log(json ? JSON.stringify(value) : escapeForTerminal(text));
}

/** Runs `work` with a connection to the database of the running service. */
export const runOnServiceDatabase = (work: (db: Database, config: Config) => Promise<void>): Promise<void> =>
  runWithServicePool('energy command', (pool, config) => work(createDb(pool), config));

/**
 * Runs work that needs its own connection pool on the database of the running service. `applicationName`: name of these connections in
 * PostgreSQL.
 */
export async function runWithServicePool<T>(
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
