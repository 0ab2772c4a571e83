import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isDatabaseUrl, maskUrl } from '#src/config/addresses.ts';
import { type Config, loadConfig } from '#src/config/load.ts';
import { escapeForTerminal } from '#src/core/output.ts';
import { createDatabase, runWithSeparatePool } from '#src/database/connect.ts';
import { hasEmbeddedDatabase, isEmbeddedPostgresRunning } from '#src/database/embedded-postgres.ts';
import { findDatabaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';
import { type InstallationMoveReport, moveInstallation } from '#src/start/move.ts';
import { loadSecretKey } from '#src/start/secret-key.ts';
import { moveUsers, type UsersMoveReport } from '#src/start/users-move/move-users.ts';
import { describeUnpricedTariffs } from '#src/start/users-move/unpriced-tariffs.ts';
import { withProgress } from './progress-bar.ts';
import { runWithServicePool } from './running-service.ts';
import { openDatabaseOfStoppedService } from './stopped-service-database.ts';

/** Registers `energy migrate`, which moves the data to another database, or updates the database schema to this version. */
export function registerCommands(program: Command): void {
  program
    .command('migrate')
    .option('--to <url>', 'copy all data into this (empty) database, compare, and close the old database for writing')
    .option(
      '--users <file>',
      'with --to: file with the accounts to move into a running installation; one user_id or e-mail address per line',
    )
    .option(
      '--to-secret-key <file>',
      'with --users: the secret.key of that installation, or a file with its SECRET_KEY',
    )
    .option('--json', 'print one JSON object')
    .action(async ({ to, users, toSecretKey, json = false }: Options) => {
      if (users !== undefined) await moveAccounts({ to, users, toSecretKey, json });
      else if (toSecretKey !== undefined) throw new Error('--to-secret-key requires --users');
      else if (to === undefined) await migrateHere(json);
      else await moveTo(to, json);
    });
}

interface Options {
  to?: string;
  users?: string;
  toSecretKey?: string;
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

/** Time in ms after a move during which devices may still be connected to this installation's broker. */
export const MAX_CONNECTION_TIME_AFTER_MOVE_MS = 12_000;

async function moveAccounts(options: {
  to: string | undefined;
  users: string;
  toSecretKey: string | undefined;
  json: boolean;
}): Promise<void> {
  const { to, users, toSecretKey, json } = options;
  if (to === undefined || toSecretKey === undefined)
    throw new Error(
      '--users requires --to, the database of the other installation, and --to-secret-key, the file with its secret',
    );
  await assertDatabaseReachable('--to', to);
  const accounts = await readFile(users, 'utf8');
  const target = (await readFile(toSecretKey, 'utf8')).trim();
  const config = loadConfig();
  const { url, release } = await openSourceDatabase(config);
  const source = await runWithSeparatePool(url, { max: 1, applicationName: 'energy migrate' }, (pool) =>
    loadSecretKey(config, createDatabase(pool)),
  );
  const { retentionMonths, maxChannels } = config;
  const wanted = { accounts, secrets: { source, target }, taking: { retentionMonths, maxChannels } };
  const report = await withProgress((steps) =>
    moveUsers(url, to, { ...wanted, connectedMs: MAX_CONNECTION_TIME_AFTER_MOVE_MS, ...steps }).finally(release),
  );
  if (json) console.log(JSON.stringify(report));
  else printAccounts(report);
}

function printCompared({
  relations,
  total_milliwatt_hours,
}: Pick<InstallationMoveReport, 'relations' | 'total_milliwatt_hours'>) {
  for (const { relation, rows } of relations)
    console.log(`${relation.padEnd(20)} ${String(rows).padStart(12)} rows, equal`);
  const kwh = (BigInt(total_milliwatt_hours) / 1_000_000n).toString();
  console.log(`${'consumption'.padEnd(20)} ${kwh.padStart(12)} kWh, equal`);
}

function printAccounts({
  users,
  moved_before,
  relations,
  total_milliwatt_hours,
  held_ms,
  forwarded,
  removed,
  unpriced,
}: UsersMoveReport): void {
  printCompared({ relations, total_milliwatt_hours });
  console.log(
    `\nMoved ${users} accounts${moved_before > 0 ? ` (${moved_before} had moved before)` : ''}; they were closed for ${(held_ms / 1_000).toFixed(1)} s. ` +
      `${forwarded} messages that arrived here after the move were forwarded.${removed > 0 ? ` ${removed} were deleted, because their accounts were deleted there.` : ''}\nTheir devices can no longer log in here. Messages that a broker ` +
      'still delivers here are stored for 90 days; run the same command again to forward them.',
  );
  if (unpriced.length > 0) console.log(escapeForTerminal(`\n${describeUnpricedTariffs(unpriced)}`));
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
  printCompared({ relations, total_milliwatt_hours });
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
