import { Argument, type Command } from 'commander';
import { SHELLS, type Shell, scriptFor } from './completion/shells.ts';
import { placesOf } from './completion/tree.ts';

/** `energy completion bash|zsh|fish`: a script that completes its commands and options, of the program's own tree. */
export function register(program: Command): void {
  program
    .command('completion')
    .description('print what makes a shell complete these commands: source <(energy completion bash)')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: Shell) => {
      process.stdout.write(scriptFor(shell, placesOf(program)));
    });
}
