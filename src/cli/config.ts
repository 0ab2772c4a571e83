import type { Command } from 'commander';
import { explainVariables } from '#src/config/load.ts';

/**
 * Registers `energy config`, which prints the effective configuration with masked secrets. If the configuration is invalid, prints one line
 * per invalid setting and fails.
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
      // The output has the form of an environment file, in which the masked and unset values must be filled in.
      for (const { name, value, source, meaning } of all) {
        const isStructure = typeof value === 'object' && value !== null;
        console.log(`# ${source}: ${meaning}\n${name}=${isStructure ? JSON.stringify(value) : (value ?? '')}`);
      }
    });
}
