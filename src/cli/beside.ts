import type { Config } from '#src/config/load.ts';
import { linesForTerminal } from '#src/core/output.ts';
import { createDb, createPool, type Database, type Pool } from '#src/database/connect.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { refuseNewer } from '#src/database/migrate.ts';
import { loadConfigBeside } from '#src/start/ports.ts';

/** One JSON object for programs, lines for people. */
export function show(json: boolean | undefined, value: object, text: string): void {
  console.log(json ? JSON.stringify(value) : linesForTerminal(text));
}

/** Does something in the database of the service that runs beside this command. */
export const withDatabase = (work: (db: Database, config: Config) => Promise<void>): Promise<void> =>
  withPool('energy command', (pool, config) => work(createDb(pool), config));

/** The same for what needs connections of its own. `applicationName`: what the database knows them by. */
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
