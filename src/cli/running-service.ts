import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '#src/config/load.ts';
import { escapeForTerminal } from '#src/core/output.ts';
import { createDatabase, type Database, type Pool, runWithSeparatePool } from '#src/database/connect.ts';
import { findDatabaseUrl } from '#src/database/locate.ts';
import { assertSchemaNotNewer } from '#src/database/migrate.ts';
import { loadConfigOfRunningService } from '#src/start/ports.ts';

/** Prints one JSON object for programs (`json`), or lines of text for people. */
export function printResult(json: boolean | undefined, value: object, text: string): void {
  console.log(json ? JSON.stringify(value) : escapeForTerminal(text));
}

/**
 * Maximum time in ms that a command waits until the worker has recorded deleted objects in `ended.jsonl`. After a restore, the objects in
 * this file are deleted again.
 */
const ENDINGS_MS = 5_000;

/** Waits until the worker has recorded in `ended.jsonl` the objects that a command has deleted. Prints a warning after `ENDINGS_MS`. */
async function awaitEndings(pool: Pool): Promise<void> {
  for (const endsMs = Date.now() + ENDINGS_MS; Date.now() < endsMs; await sleep(100)) {
    // Raw SQL: the typed queries do not know the relation `endings`. It contains the deletions that are not in the file yet.
    const { rows } = await pool.query('SELECT EXISTS (SELECT FROM endings) AS "isAny"');
    if (!rows[0].isAny) return;
  }
  console.error('The change has not been written to ended.jsonl of the back-ups yet: see the log of the worker.');
}

/** Runs `work` with a connection to the database of the running service. */
export const runOnServiceDatabase = (work: (db: Database, config: Config) => Promise<void>): Promise<void> =>
  runWithServicePool('energy command', (pool, config) => work(createDatabase(pool), config));

/**
 * Runs work on the database of the running service, with a separate connection pool. `applicationName`: name of the connections in
 * PostgreSQL.
 */
export async function runWithServicePool<T>(
  applicationName: string,
  work: (pool: Pool, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfigOfRunningService();
  return runWithSeparatePool(await findDatabaseUrl(config), { max: 3, applicationName }, async (pool) => {
    await assertSchemaNotNewer(pool);
    const done = await work(pool, config);
    if (config.database.url === undefined) await awaitEndings(pool);
    return done;
  });
}
