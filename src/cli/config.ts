import type { Command } from 'commander';
import { explainVariables } from '#src/config/load.ts';

/**
 * Registers `energy config`, which prints the effective configuration. Secrets are masked. If the configuration is invalid, the command
 * fails and prints one line per invalid setting.
 */
export function registerCommands(program: Command): void {
  program
    .command('config')
    .option('--json', 'print one JSON object')
    .action((options: { json?: boolean }) => {
      const all = explainVariables();
      if (options.json) {
        const about = Object.fromEntries(all.map(({ name, source, meaning }) => [name, { source, meaning }]));
        console.log(JSON.stringify({ ...Object.fromEntries(all.map(({ name, value }) => [name, value])), about }));
        return;
      }
      // The output has the form of an environment file. To use it as one, an operator must fill in the masked and unset values.
      for (const { name, value, source, meaning } of all) {
        const isStructure = typeof value === 'object' && value !== null;
        console.log(`# ${source}: ${meaning}\n${name}=${isStructure ? JSON.stringify(value) : (value ?? '')}`);
      }
    });
}
