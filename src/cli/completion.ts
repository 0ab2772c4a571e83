import { Argument, type Command } from 'commander';
import { SHELLS, type Shell, scriptFor } from './completion/shells.ts';
import { placesOf } from './completion/tree.ts';

/** Registers `energy completion bash|zsh|fish`, which prints a completion script made from the program's own command tree. */
export function register(program: Command): void {
  program
    .command('completion')
    .description('print what makes a shell complete these commands: source <(energy completion bash)')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: Shell) => {
      process.stdout.write(scriptFor(shell, placesOf(program)));
    });
}
