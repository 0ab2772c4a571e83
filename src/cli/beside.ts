import { type Config, loadConfig } from '#src/config/load.ts';
import { createDb, createPool, type Database } from '#src/database/connect.ts';
import { databaseUrl } from '#src/database/locate.ts';

/** One JSON object for programs, lines for people. */
export function show(json: boolean | undefined, value: object, text: string): void {
  console.log(json ? JSON.stringify(value) : text);
}

/** Does something in the database of the service that runs beside this command. */
export async function withDatabase(work: (db: Database, config: Config) => Promise<void>): Promise<void> {
  const config = loadConfig();
  const pool = createPool(await databaseUrl(config), { max: 2, applicationName: 'energy command' });
  try {
    await work(createDb(pool), config);
  } finally {
    await pool.end();
  }
}
