import type { Command } from 'commander';
import { loadConfig } from '#src/config/load.ts';
import { createPool } from '#src/database/connect.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { migrate } from '#src/database/migrate.ts';

/** `energy migrate`: brings the database to this version's schema. Every role does so at its start, too. */
export function register(program: Command): void {
  program
    .command('migrate')
    .description("bring the database to this version's schema")
    .option('--json', 'print one JSON object')
    .action(async (options: { json?: boolean }) => {
      const config = loadConfig();
      const pool = createPool(await databaseUrl(config), { max: 2, applicationName: 'energy migrate' });
      try {
        const { applied, database } = await migrate(pool, config.database);
        if (options.json) {
          console.log(JSON.stringify({ tier: database.tier, capabilities: database.capabilities, applied }));
          return;
        }
        console.log(database.line);
        console.log(applied.length === 0 ? 'Nothing to do.' : `Applied:\n  ${applied.join('\n  ')}`);
      } finally {
        await pool.end();
      }
    });
}
