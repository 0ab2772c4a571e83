import type { Command } from 'commander';
import { secretTexts } from '#src/config/load.ts';
import { gather } from './doctor/gather/gather.ts';
import { judge, linesOf, withoutSecrets } from './doctor/report.ts';
import { linesForTerminal } from './for-terminal.ts';

/** `energy doctor`: looks at everything that an installation stands on, changes nothing, and says what to do. */
export function register(program: Command): void {
  program
    .command('doctor')
    .description('say what is wrong with this installation, and what to do; exits 1 on problems, not on warnings')
    .option('--json', 'print one JSON object')
    .action(async (options: { json?: boolean }) => {
      const findings = withoutSecrets(judge(await gather()), secretTexts());
      const isWell = findings.every(({ level }) => level !== 'problem');
      const text = options.json ? JSON.stringify({ ok: isWell, findings }) : linesForTerminal(linesOf(findings));
      // A connection that does not end would keep the process.
      process.stdout.write(`${text}\n`, () => process.exit(isWell ? 0 : 1));
    });
}
