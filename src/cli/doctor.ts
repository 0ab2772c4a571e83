import { type Command, InvalidArgumentError } from 'commander';
import { listSecretTexts } from '#src/config/load.ts';
import { escapeForTerminal } from '#src/core/output.ts';
import { confirmClock } from '#src/database/believed-time.ts';
import { gatherFacts } from './doctor/gather/gather.ts';
import { formatFindings, redactSecrets, runChecks } from './doctor/report.ts';
import { printResult, runWithServicePool } from './running-service.ts';

/**
 * Registers `energy doctor`, which checks everything that an installation depends on and prints remedies. An option confirms the machine's
 * clock.
 */
export function registerCommands(program: Command): void {
  program
    .command('doctor')
    .option('--json', 'print one JSON object')
    .option(
      '--confirm-clock',
      'check nothing; confirm that this machine’s clock is right, despite an earlier difference',
    )
    .option(
      '--releases <url>',
      'fetch the latest version from this address: the npm registry’s /latest, or GitHub’s releases/latest',
      parseReleases,
    )
    .action(async (options: { json?: boolean; confirmClock?: boolean; releases?: URL }) => {
      if (options.confirmClock) return confirm(options.json);
      const findings = redactSecrets(runChecks(await gatherFacts(options.releases)), listSecretTexts());
      const isWell = findings.every(({ level }) => level !== 'problem');
      const text = options.json
        ? JSON.stringify({ ok: isWell, findings })
        : escapeForTerminal(formatFindings(findings));
      // Open connections would keep the process alive.
      process.stdout.write(`${text}\n`, () => process.exit(isWell ? 0 : 1));
    });
}

function parseReleases(text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('Must be an https:// or http:// address.');
  return new URL(text);
}

async function confirm(json: boolean | undefined): Promise<void> {
  await runWithServicePool('energy doctor', async (pool) => {
    const now = new Date();
    await confirmClock(pool, now);
    const text = `This machine’s clock, ${now.toISOString()}, is confirmed. Running processes adopt it within ten seconds.`;
    printResult(json, { confirmed: now.toISOString() }, text);
  });
}
