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
      const pool = createPool(await databaseUrl(loadConfig()), { max: 2, applicationName: 'energy migrate' });
      try {
        const applied = await migrate(pool);
        if (options.json) console.log(JSON.stringify({ applied }));
        else console.log(applied.length === 0 ? 'Nothing to do.' : `Applied:\n  ${applied.join('\n  ')}`);
      } finally {
        await pool.end();
      }
    });
}
