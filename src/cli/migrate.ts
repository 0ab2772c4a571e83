import type { Command } from 'commander';
import { type Config, loadConfig } from '#src/config/load.ts';
import { hasEmbedded, isEmbeddedAlive } from '#src/database/embedded-postgres.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';
import { type MoveReport, move } from '#src/start/move.ts';
import { startedDatabase } from './alone.ts';
import { withPool } from './beside.ts';
import { progressBar } from './progress-bar.ts';

/** `energy migrate`: brings the database to this version's schema (every role does so at its start), or moves it. */
export function register(program: Command): void {
  program
    .command('migrate')
    .description("bring the database to this version's schema, or move a running installation into another database")
    .option('--to <url>', 'copy everything into this (empty) database, compare, and close the old one for writing')
    .option('--json', 'print one JSON object')
    .action(async (options: { to?: string; json?: boolean }) => {
      if (options.to === undefined) await migrateHere(options.json ?? false);
      else await moveTo(options.to, options.json ?? false);
    });
}

async function migrateHere(json: boolean): Promise<void> {
  await withPool('energy migrate', async (pool, config) => {
    const { applied, database } = await migrate(pool, config.database);
    const { tier, capabilities, line } = database;
    if (json) return console.log(JSON.stringify({ tier, capabilities, applied }));
    console.log(line);
    console.log(applied.length === 0 ? 'Nothing to do.' : `Applied:\n  ${applied.join('\n  ')}`);
  });
}

async function moveTo(url: string, json: boolean): Promise<void> {
  const config = loadConfig();
  const source = await reachSource(config);
  const bar = progressBar();
  const report = await move(source.url, url, config.database, {
    step(text) {
      bar.stop();
      if (process.stderr.isTTY) console.error(text);
    },
    progress: bar.update,
  }).finally(() => {
    bar.stop();
    return source.release();
  });
  if (json) console.log(JSON.stringify(report));
  else printReport(report);
}

/**
 * The database to move. An embedded one whose service does not run is started for the time of the move: a service does not
 * start on one that a move has closed, and a move that was broken off then must still be able to end.
 */
async function reachSource(config: Config): Promise<{ url: string; release(): Promise<void> }> {
  const { database, dataDir } = config;
  if (database.url || !hasEmbedded(dataDir) || (await isEmbeddedAlive(dataDir)))
    return { url: await databaseUrl(config), release: async () => {} };
  return startedDatabase(config);
}

function printReport({ database, relations, total_milliwatt_hours, users }: MoveReport): void {
  for (const { relation, rows } of relations)
    console.log(`${relation.padEnd(20)} ${String(rows).padStart(12)} rows, equal`);
  console.log(
    `${'consumption'.padEnd(20)} ${(BigInt(total_milliwatt_hours) / 1_000_000n).toString().padStart(12)} kWh, equal`,
  );
  console.log(
    `\nMoved ${users} users to: ${database}\nThe old database answers, but takes no more readings. Set DATABASE_URL to the new ` +
      'one and start the service again; devices send what was not acknowledged. Keep DATA_DIR: it has the certificate and ' +
      'secret.key. On another machine copy both, or set SECRET_KEY to what secret.key says: without it webhook secrets and ' +
      'kept answers cannot be opened.',
  );
}
