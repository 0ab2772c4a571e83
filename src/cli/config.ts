import type { Command } from 'commander';
import { effectiveVariables } from '#src/config/load.ts';

/** `energy config`: the configuration in force, secrets masked; fails with one line per mistake. */
export function register(program: Command): void {
  program
    .command('config')
    .description('check and print the configuration in force')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) => {
      const variables = effectiveVariables();
      if (options.json) {
        console.log(JSON.stringify(variables));
        return;
      }
      for (const [name, value] of Object.entries(variables)) {
        const isStructure = typeof value === 'object' && value !== null;
        console.log(`${name}=${isStructure ? JSON.stringify(value) : (value ?? '')}`);
      }
    });
}
