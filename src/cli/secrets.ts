import type { Command } from 'commander';
import { loadConfig } from '#src/config/load.ts';
import { createDatabase, createPool } from '#src/database/connect.ts';
import { migrate } from '#src/database/migrate.ts';
import { type DiscardedSecrets, discardEncryptedSecrets } from '#src/start/secret-key.ts';
import { printResult } from './running-service.ts';
import { openDatabaseOfStoppedService } from './stopped-service-database.ts';

/**
 * Registers `energy secrets forget`, which discards the values that were encrypted with a lost secret key. The service must not be running.
 */
export function registerCommands(program: Command): void {
  const secrets = program.command('secrets');
  secrets
    .command('forget')
    .description(
      'if secret.key is lost for good: discard the secrets that it encrypted, and create a new key (stop the service first)',
    )
    .option('--json', 'print one JSON object')
    .action(async (options: { json?: boolean }) => {
      const config = loadConfig();
      const { url, release } = await openDatabaseOfStoppedService(config);
      const pool = createPool(url, { max: 2, applicationName: 'energy secrets' });
      try {
        await migrate(pool, config.database);
        const forgotten = await discardEncryptedSecrets(createDatabase(pool), config);
        printResult(options.json, forgotten, linesOf(forgotten));
      } finally {
        await pool.end();
        await release();
      }
    });
}

const linesOf = ({ webhooks, answers }: DiscardedSecrets): string =>
  [
    `${answers} stored responses were discarded, and ${webhooks.length} webhooks are paused. To resume a webhook, give it a new auth_token`,
    'and set it to active: PATCH /v1/webhooks/{webhook_id} with auth_token and status, or the dashboard.',
    ...webhooks.map(({ webhook_id, user_id, url }) => `  ${webhook_id} of ${user_id}: ${url}`),
  ].join('\n');
