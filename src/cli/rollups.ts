import type { Command } from 'commander';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { detectCapabilities } from '#src/database/capabilities.ts';
import { createDatabase } from '#src/database/connect.ts';
import { findFirstCheckedMonth } from '#src/rollups/check.ts';
import { checkAllRollups, type RollupCheckOptions, type RollupCheckReport } from '#src/rollups/check-all.ts';
import { resolveUserId } from './named-user.ts';
import { runWithServicePool } from './running-service.ts';

/**
 * Registers `energy rollups check|rebuild`. `check` compares the stored aggregates with the quarter-hours; `rebuild` recomputes the
 * aggregates that differ.
 */
export function registerCommands(program: Command): void {
  const rollups = program.command('rollups');
  rollups
    .command('check')
    .description('check all stored sums by hour, day and month; exits 1 if one is wrong')
    .option('--user <user>', 'only this user: a user_id or an e-mail address')
    .option('--json', 'print one JSON object')
    .action(async (options: { user?: string; json?: boolean }) => {
      const report = await run('check', options.user);
      if (options.json) console.log(JSON.stringify(report));
      else printCheck(report);
      process.exitCode = report.differing === 0 ? 0 : 1;
    });
  rollups
    .command('rebuild')
    .description('recompute the stored sums by hour, day and month')
    .option('--user <user>', 'only this user: a user_id or an e-mail address')
    .option('--json', 'print one JSON object')
    .action(async (options: { user?: string; json?: boolean }) => {
      const report = await run('rebuild', options.user);
      if (options.json) console.log(JSON.stringify(report));
      else console.log(`Recomputed the aggregates of ${report.rebuilt} users.`);
    });
}

async function run(mode: RollupCheckOptions['mode'], user: string | undefined): Promise<RollupCheckReport> {
  const showProgress = (done: number, total: number) => {
    process.stderr.write(`\r${done} of ${total} users${done === total ? '\n' : ''}`);
  };
  return runWithServicePool(`energy rollups ${mode}`, async (pool, { database, retentionMonths }) => {
    const { capabilities } = await detectCapabilities(pool, database.timescale);
    const userId = user === undefined ? undefined : await resolveUserId(createDatabase(pool), user);
    return checkAllRollups(pool, {
      capabilities,
      since: findFirstCheckedMonth(new Date(), retentionMonths),
      mode,
      ...omitUndefined({ userId, onProgress: process.stderr.isTTY ? showProgress : undefined }),
    });
  });
}

function printCheck(report: RollupCheckReport): void {
  for (const { relation, key, stored_milliwatt_hours, expected_milliwatt_hours } of report.differences) {
    console.log(
      `${relation} ${JSON.stringify(key)}: stored ${stored_milliwatt_hours} mWh, should be ${expected_milliwatt_hours} mWh`,
    );
  }
  const { differing, differences } = report;
  if (differing > differences.length) console.log(`and ${differing - differences.length} more rows`);
  if (differing === 0) console.log(`No row differs (${report.users} users).`);
  else console.log(`${differing} rows differ. Repair them with: energy rollups rebuild`);
}
