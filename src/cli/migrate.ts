import type { Command } from 'commander';
import { isDatabaseUrl, maskUrl } from '#src/config/addresses.ts';
import { type Config, loadConfig } from '#src/config/load.ts';
import { runWithSeparatePool } from '#src/database/connect.ts';
import { hasEmbeddedDatabase, isEmbeddedPostgresRunning } from '#src/database/embedded-postgres.ts';
import { findDatabaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';
import { type InstallationMoveReport, moveInstallation } from '#src/start/move.ts';
import { withProgress } from './progress-bar.ts';
import { runWithServicePool } from './running-service.ts';
import { openDatabaseOfStoppedService } from './stopped-service-database.ts';

/** Registers `energy migrate`, which moves the data to another database, or updates the database schema to this version. */
export function registerCommands(program: Command): void {
  program
    .command('migrate')
    .option('--to <url>', 'copy all data into this (empty) database, compare, and close the old database for writing')
    .option('--json', 'print one JSON object')
    .action(async ({ to, json = false }: Options) => {
      if (to === undefined) await migrateHere(json);
      else await moveTo(to, json);
    });
}

interface Options {
  to?: string;
  json?: boolean;
}

async function migrateHere(json: boolean): Promise<void> {
  await runWithServicePool('energy migrate', async (pool, config) => {
    const { applied, database } = await migrate(pool, config.database);
    const { tier, capabilities, line } = database;
    if (json) return console.log(JSON.stringify({ tier, capabilities, applied }));
    console.log(line);
    console.log(applied.length === 0 ? 'Nothing to do.' : `Applied:\n  ${applied.join('\n  ')}`);
  });
}

async function moveTo(url: string, json: boolean): Promise<void> {
  const config = loadConfig();
  await assertDatabaseReachable('--to', url);
  const source = await openSourceDatabase(config);
  const report = await withProgress((steps) =>
    moveInstallation(source.url, url, config.database, steps).finally(source.release),
  );
  if (json) console.log(JSON.stringify(report));
  else printReport(report);
}

/**
 * Opens the database to move. If the service is not running, starts only its embedded database, because the service refuses to start on a
 * database that a move has closed.
 */
export async function openSourceDatabase(config: Config): Promise<{ url: string; release(): Promise<void> }> {
  const { database, dataDir } = config;
  if (database.url || !hasEmbeddedDatabase(dataDir) || (await isEmbeddedPostgresRunning(dataDir)))
    return { url: await findDatabaseUrl(config), release: async () => {} };
  return openDatabaseOfStoppedService(config);
}

function printReport({ database, relations, total_milliwatt_hours, users }: InstallationMoveReport): void {
  for (const { relation, rows } of relations)
    console.log(`${relation.padEnd(20)} ${String(rows).padStart(12)} rows, equal`);
  const kwh = (BigInt(total_milliwatt_hours) / 1_000_000n).toString();
  console.log(`${'consumption'.padEnd(20)} ${kwh.padStart(12)} kWh, equal`);
  console.log(
    `\nMoved ${users} users to: ${database}\nThe old database can be read, but accepts no more readings. Set DATABASE_URL to the new ` +
      'database and restart the service; devices then send their unacknowledged messages. Preserve DATA_DIR, which contains the certificate and ' +
      'secret.key. On another machine, copy both, or set SECRET_KEY to the content of secret.key: without it, webhook secrets and ' +
      'stored responses cannot be decrypted.',
  );
}

/** Advice for an operator for each error of the database, by its network error code or SQLSTATE. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host does not exist: check its name',
  EAI_AGAIN: 'the name lookup of the host failed: check its name, and DNS',
  ECONNREFUSED: 'no program listens at this address: check host and port, and that PostgreSQL runs',
  ETIMEDOUT: 'no response: check host and port, and firewalls in between',
  '28P01': 'the password is wrong',
  '28000': 'this user may not log in from here: see pg_hba.conf of the server',
  '3D000': 'the database does not exist: create it first',
};

/**
 * Throws if an option's value is not a PostgreSQL URL, or if the login fails. The error contains no password. `option`: name with dashes.
 */
export async function assertDatabaseReachable(option: string, url: string): Promise<void> {
  if (!isDatabaseUrl(url))
    throw new Error(
      `${option}: must be a URL that begins with postgres:// or postgresql://, such as postgres://USER:PASSWORD@HOST:5432/DATABASE`,
    );
  // Raw SQL: a query that tests the connection and the login.
  await runWithSeparatePool(url, { max: 1, applicationName: 'energy command' }, (pool) => pool.query('SELECT 1')).catch(
    (error) => {
      const { code = '', message } = error as { code?: string; message: string };
      const advice = ADVICE[code] ?? 'check host, port, user, password and database';
      throw new Error(
        `${option}: ${maskUrl(url)} cannot be reached, ${advice} (${message || code}). Nothing was changed.`,
        { cause: error },
      );
    },
  );
}
